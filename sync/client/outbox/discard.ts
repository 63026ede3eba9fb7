import type { Capabilities } from '#sync/client/capabilities.ts';
import type { UserDb } from '#sync/client/db.ts';
import type { Op } from '#sync/operations/registry.ts';
import { needsDecision } from '#sync/protocol/op.ts';
import { hasLeaseLeft, isLeaseLive, sendLockName } from './lease.ts';

/** Removes ops in any state with their images and returns the `seq` of those that existed. Runs in the caller's transaction. */
export async function removeOps(db: UserDb, opIds: readonly string[]): Promise<number[]> {
  const removed = await db.ops.where('opId').anyOf(opIds).primaryKeys();
  await db.ops.bulkDelete(removed);
  await db.opBlobs.where('opId').anyOf(opIds).delete();
  return removed;
}

/**
 * Removes an op with its images. False while it is being sent, since its outcome is unknown; a suspended tab no longer counts
 * once its lease has expired.
 */
export async function discardOp(
  { lock, clock }: Pick<Capabilities, 'lock' | 'clock'>,
  db: UserDb,
  opId: string,
): Promise<boolean> {
  let isRemoved = false;
  // Whoever holds its lock knows that nobody is sending the op, unless it was taken over: then it is sent without the lock.
  const hasLock = await lock.run(sendLockName(opId), async () => {
    isRemoved = await removeUnless(
      db,
      opId,
      (op) => (!lock.spansTabs || op.wasTakenOver === true) && isLeaseLive(op, clock.now()),
    );
  });
  // A log out revokes the lease of an op that may still be being sent.
  return hasLock ? isRemoved : removeUnless(db, opId, (op) => hasLeaseLeft(op, clock.now()));
}

async function removeUnless(db: UserDb, opId: string, mayBeSent: (op: Op) => boolean): Promise<boolean> {
  return db.transaction('rw', db.ops, db.opBlobs, async () => {
    const op = await db.ops.where('opId').equals(opId).first();
    if (op !== undefined && mayBeSent(op)) return false;
    await removeOps(db, [opId]);
    return true;
  });
}

/**
 * Removes every op that waits to be sent, with its images; refused ops stay until the person decides. With `shown`, removes
 * only those ops, which the person has seen.
 */
export async function discardWaiting(db: UserDb, shown?: readonly string[]): Promise<void> {
  await db.transaction('rw', db.ops, db.opBlobs, async () => {
    const isMeant = ({ opId }: Op) => shown === undefined || shown.includes(opId);
    const waiting = await db.ops.filter((op) => !needsDecision(op) && isMeant(op)).toArray();
    await removeOps(
      db,
      waiting.map(({ opId }) => opId),
    );
  });
}

/**
 * Revokes all leases, so that no drain starts sending those ops. One that another tab is sending right now is not sent twice:
 * that tab holds the op's lock, and counts as suspended only once the next lease has expired, even if it took the op over
 * from a tab that did.
 */
export async function revokeLeases(db: UserDb): Promise<void> {
  await db.ops
    .where('state')
    .equals('sending')
    .modify({ state: 'queued', leaseOwner: null, wasTakenOver: false });
}
