import { LANES } from '#sync/protocol/op.ts';
import { drainLock } from './lock.ts';

/**
 * Waits until nothing of this user's is being sent on this device, `withinMs` milliseconds at most. Nothing more is
 * sent from then on, until this page goes: for a page that is about to be loaded anew.
 */
export async function finishSending(userId: number, withinMs: number): Promise<void> {
  if (!('locks' in navigator)) return;
  const signal = AbortSignal.timeout(withinMs);
  await Promise.all(LANES.map((lane) => takeForGood(drainLock(userId, lane), signal)));
}

/** Resolves as soon as the lock is taken, or the signal says that it took too long. */
function takeForGood(name: string, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const hold = () => {
      resolve();
      return new Promise(() => {});
    };
    navigator.locks.request(name, { signal }, hold).catch(() => resolve());
  });
}
