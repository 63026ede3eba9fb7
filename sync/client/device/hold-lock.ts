/**
 * Acquires a lock as soon as it is free and holds it until `released` resolves, or this page is closed, is reloaded or crashes.
 * Resolves with whether the lock was acquired within `timeoutMs` milliseconds; in a browser without Web Locks, with true at once.
 */
export function holdLock(
  name: string,
  timeoutMs: number,
  released = new Promise<void>(() => {}),
): Promise<boolean> {
  if (!('locks' in navigator)) return Promise.resolve(true);
  const signal = AbortSignal.timeout(timeoutMs);
  return new Promise((resolve) => {
    const hold = () => {
      resolve(true);
      return released;
    };
    navigator.locks.request(name, { signal }, hold).catch(() => resolve(false));
  });
}
