import type { Observable } from '#sync/client/observable.ts';

/**
 * A value that is stored as JSON in `localStorage`. It is null in prerendered pages, without storage, and if the stored data is
 * missing or invalid: `parse` then throws or returns null. `set` throws if the value cannot be stored.
 */
export function storedJson<T>(
  key: string,
  parse: (data: unknown) => T | null,
): Observable<T | null> & { initial(): null; set(value: T | null): void } {
  let last: { text: string | null; value: T | null } = { text: null, value: null };
  const listeners = new Set<() => void>();
  return {
    initial: () => null,
    get() {
      try {
        const text = localStorage.getItem(key);
        // Returns the same object until the text changes, as `useSyncExternalStore` requires.
        if (text !== last.text) last = { text, value: text === null ? null : parse(JSON.parse(text)) };
        return last.value;
      } catch {
        return null;
      }
    },
    set(value) {
      try {
        if (value === null) localStorage.removeItem(key);
        else localStorage.setItem(key, JSON.stringify(value));
      } finally {
        for (const listener of listeners) listener();
      }
    },
    subscribe(listener) {
      listeners.add(listener);
      // Fired when another tab writes to the storage.
      window.addEventListener('storage', listener);
      return () => {
        listeners.delete(listener);
        window.removeEventListener('storage', listener);
      };
    },
  };
}
