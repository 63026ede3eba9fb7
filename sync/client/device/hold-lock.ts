/**
 * Acquires a lock as soon as it is free and holds it until this page is closed, is reloaded or crashes. Resolves with false if
 * the lock was not free within `withinMs` milliseconds, with true at once in a browser without Web Locks.
 */
export function holdLock(name: string, withinMs: number): Promise<boolean> {
  if (!('locks' in navigator)) return Promise.resolve(true);
  const signal = AbortSignal.timeout(withinMs);
  return new Promise((resolve) => {
    const hold = () => {
      resolve(true);
      return new Promise(() => {});
    };
    navigator.locks.request(name, { signal }, hold).catch(() => resolve(false));
  });
}
