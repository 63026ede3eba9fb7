import type { Clock, Lock } from '#sync/client/capabilities.ts';
import { withTimeout } from '#sync/client/timeout.ts';
import { LANES, type Lane } from '#sync/operations/operation.ts';
import { holdLock } from './hold-lock.ts';
import { systemClock } from './system-clock.ts';

/** The name of the lock held by the drain of a user's lane. */
export function drainLockName(userId: number, lane: Lane): string {
  return `drain:${userId}:${lane}`;
}

/**
 * How long to wait for a response of the browser to a lock request, so that a browser that never responds does not stop the
 * queue.
 */
const LOCK_TIMEOUT_MS = 5_000;

/**
 * Returns Web Locks, which all tabs and the service worker share, or locks within this tab if the browser has no Web Locks.
 * Locks only save work: correctness comes from leases and the server's receipts.
 */
export function browserLock(clock: Clock = systemClock): Lock {
  if (typeof navigator === 'undefined' || !('locks' in navigator)) return localLock();
  const { locks } = navigator;
  const fallback = localLock();
  return {
    spansTabs: true,
    run: (name, job) => runUnderWebLock({ locks, clock, fallback }, name, job),
    async heldNames() {
      const { held = [] } = await withTimeout(clock, LOCK_TIMEOUT_MS, locks.query());
      return new Set(held.flatMap(({ name }) => name ?? []));
    },
  };
}

/** Runs `job` under a Web Lock, or under a local lock if the browser does not respond within `LOCK_TIMEOUT_MS`. */
function runUnderWebLock(
  { locks, clock, fallback }: { locks: LockManager; clock: Clock; fallback: Lock },
  name: string,
  job: () => Promise<void>,
): Promise<boolean> {
  return new Promise((resolve, reject) => {
    let hasTimedOut = false;
    const cancel = clock.setTimeout(() => {
      hasTimedOut = true;
      resolve(fallback.run(name, job));
    }, LOCK_TIMEOUT_MS);
    locks
      .request(name, { ifAvailable: true }, async (lock) => {
        if (hasTimedOut) return;
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
 * Called before a page reloads: waits up to `timeoutMs` milliseconds for the lock of each lane in which an op of this user is
 * being sent (not at all without Web Locks), and holds the locks until this page is closed or reloaded, or the returned function
 * is called. An op that is queued meanwhile may still be sent without a lock (see `drainLane`); if the reload aborts its request,
 * it is repeated with its key.
 */
export async function stopSending(userId: number, timeoutMs: number): Promise<() => void> {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  await Promise.all(LANES.map((lane) => holdLock(drainLockName(userId, lane), timeoutMs, released)));
  return release;
}

/** Creates locks that only the callers of the returned object share. */
export function localLock(): Lock {
  const heldNames = new Set<string>();
  return {
    spansTabs: false,
    async run(name, job) {
      if (heldNames.has(name)) return false;
      heldNames.add(name);
      try {
        await job();
        return true;
      } finally {
        heldNames.delete(name);
      }
    },
    heldNames: async () => heldNames,
  };
}
