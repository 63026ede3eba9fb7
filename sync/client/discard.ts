import type { UserDb } from './db.ts';
import { sendLock } from './lease.ts';
import { needsDecision } from './overlay.ts';
import type { Lock } from './types.ts';

/** Removes an op and its pictures, whatever its state. Runs in the caller's transaction. */
export async function removeOp(db: UserDb, opId: string): Promise<void> {
  await db.ops.where('opId').equals(opId).delete();
  await db.opBlobs.where('opId').equals(opId).delete();
}

/** Removes an op with its pictures. False for one that is on its way right now: nobody knows what comes of it. */
export async function discardOp(db: UserDb, lock: Lock, opId: string): Promise<boolean> {
  let isRemoved = false;
  await lock.run(sendLock(opId), async () => {
    isRemoved = await db.transaction('rw', db.ops, db.opBlobs, async () => {
      const op = await db.ops.where('opId').equals(opId).first();
      // Without a lock across tabs nobody knows what another one is sending.
      if (op?.state === 'sending' && !lock.spansTabs) return false;
      await removeOp(db, opId);
      return true;
    });
  });
  return isRemoved;
}

/** Removes every op that waits to be sent, with its pictures; what was refused stays until the person decides. */
export async function discardWaiting(db: UserDb): Promise<void> {
  await db.transaction('rw', db.ops, db.opBlobs, async () => {
    const waiting = await db.ops.filter((op) => !needsDecision(op)).toArray();
    await db.ops.bulkDelete(waiting.map(({ seq }) => seq));
    await db.opBlobs
      .where('opId')
      .anyOf(waiting.map(({ opId }) => opId))
      .delete();
  });
}

/** Takes every op back from who is about to send it: nothing of it goes out any more. */
export async function takeBackLeased(db: UserDb): Promise<void> {
  await db.ops.where('state').equals('sending').modify({ state: 'queued', leaseOwner: null });
}
