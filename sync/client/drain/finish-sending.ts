import { drainLock, holdLock } from '#sync/client/device/lock.ts';
import { LANES } from '#sync/operations/operation.ts';

/**
 * Waits until nothing of this user's is being sent on this device, `withinMs` milliseconds at most. Nothing more is
 * sent from then on, until this page goes: for a page that is about to be loaded anew.
 */
export async function finishSending(userId: number, withinMs: number): Promise<void> {
  await Promise.all(LANES.map((lane) => holdLock(drainLock(userId, lane), withinMs)));
}
