import { withTimeLimit } from '#sync/client/time-limit.ts';
import type { Clock, Lock } from '#sync/client/types.ts';
import type { Lane } from '#sync/operations/operation.ts';
import { systemClock } from './system-clock.ts';

/** The name of the lock that is held while a lane of a user's is drained. */
export function drainLock(userId: number, lane: Lane): string {
  return `drain:${userId}:${lane}`;
}

/** A browser that has not said by then whether a lock is free does not get to stop the queue. */
const LOCK_ANSWER_WITHIN_MS = 5_000;

/**
 * Web Locks across tabs and the service worker, or (on a browser without them) locks within this tab. They
 * only save work: leases and the server's receipts keep the queue correct without them.
 */
export function browserLock(clock: Clock = systemClock): Lock {
  if (typeof navigator === 'undefined' || !('locks' in navigator)) return localLock();
  const { locks } = navigator;
  const fallback = localLock();
  return {
    spansTabs: true,
    run: (name, job) => runUnderWebLock({ locks, clock, fallback }, name, job),
    async heldNames() {
      const { held = [] } = await withTimeLimit(clock, LOCK_ANSWER_WITHIN_MS, locks.query());
      return new Set(held.flatMap(({ name }) => name ?? []));
    },
  };
}

/** A browser that does not say within `LOCK_ANSWER_WITHIN_MS` whether a lock is free counts as one without locks. */
function runUnderWebLock(
  { locks, clock, fallback }: { locks: LockManager; clock: Clock; fallback: Lock },
  name: string,
  job: () => Promise<void>,
): Promise<boolean> {
  return new Promise((resolve, reject) => {
    let isGivenUp = false;
    const cancel = clock.setTimeout(() => {
      isGivenUp = true;
      resolve(fallback.run(name, job));
    }, LOCK_ANSWER_WITHIN_MS);
    locks
      .request(name, { ifAvailable: true }, async (lock) => {
        if (isGivenUp) return;
        cancel();
        if (lock !== null) await job();
        resolve(lock !== null);
      })
      .catch((error: unknown) => {
        cancel();
        reject(error);
      });
  });
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

/** Locks among the callers of the returned object. */
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
    heldNames: async () => held,
  };
}
