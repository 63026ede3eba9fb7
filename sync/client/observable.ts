/** A value that can change. `subscribe` returns the function that unsubscribes. */
export type Observable<T> = { get(): T; subscribe(listener: () => void): () => void };

/** An observable whose value can be set. */
export type WritableObservable<T> = Observable<T> & { set(value: T): void };

/** Creates an observable whose subscribers are called after each `set`. */
export function observable<T>(initial: T): WritableObservable<T> {
  let value = initial;
  const listeners = new Set<() => void>();
  return {
    get: () => value,
    set(next) {
      value = next;
      for (const listener of listeners) listener();
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
