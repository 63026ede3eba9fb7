import type { Lane } from '#sync/protocol/op.ts';
import type { Lock } from './types.ts';

/** The name of the lock that is held while a lane of a user's is drained. */
export function drainLock(userId: number, lane: Lane): string {
  return `drain:${userId}:${lane}`;
}

/**
 * Web Locks across tabs and the service worker, or (on a browser without them) a lock within this tab. They
 * only save work: leases and the server's receipts keep the queue correct without them.
 */
export function browserLock(): Lock {
  if (typeof navigator !== 'undefined' && 'locks' in navigator) {
    return {
      spansTabs: true,
      run: (name, job) =>
        navigator.locks.request(name, { ifAvailable: true }, async (lock) => {
          if (lock === null) return false;
          await job();
          return true;
        }),
    };
  }
  return localLock();
}

/**
 * Takes a lock as soon as it is free and holds it until this page goes; the lock goes with its page, even a crashed one.
 * False when somebody else kept it for `withinMs` milliseconds. A browser without such locks knows of nobody else.
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

/** A lock among callers of the same function. */
export function localLock(): Lock {
  const held = new Set<string>();
  return {
    spansTabs: false,
    async run(name, job) {
      if (held.has(name)) return false;
      held.add(name);
      try {
        await job();
        return true;
      } finally {
        held.delete(name);
      }
    },
  };
}
