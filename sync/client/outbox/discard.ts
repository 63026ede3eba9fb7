import type { UserDb } from '#sync/client/db.ts';
import type { Capabilities } from '#sync/client/types.ts';
import type { Op } from '#sync/operations/registry.ts';
import { hasLeaseLeft, isLeaseLive, sendLock } from './lease.ts';
import { needsDecision } from './overlay.ts';

/**
 * Removes ops and their images, whatever their state, and returns the `seq` of those that were there. Runs in the
 * caller's transaction.
 */
export async function removeOps(db: UserDb, opIds: readonly string[]): Promise<number[]> {
  const removed = await db.ops.where('opId').anyOf(opIds).primaryKeys();
  await db.ops.bulkDelete(removed);
  await db.opBlobs.where('opId').anyOf(opIds).delete();
  return removed;
}

/**
 * Removes an op with its images. False for one that is on its way right now: nobody knows what comes of it. A tab that
 * was sending it and is suspended counts no more once its lease has run out.
 */
export async function discardOp(
  { lock, clock }: Pick<Capabilities, 'lock' | 'clock'>,
  db: UserDb,
  opId: string,
): Promise<boolean> {
  let isRemoved = false;
  // With its lock nobody is sending the op, whatever its lease says, unless it was taken over: then it is sent without it.
  const hasLock = await lock.run(sendLock(opId), async () => {
    isRemoved = await removeUnless(
      db,
      opId,
      (op) => (!lock.spansTabs || op.wasTakenOver === true) && isLeaseLive(op, clock.now()),
    );
  });
  // What a log out has taken back while it was on its way is leased to nobody and may be on its way all the same.
  return hasLock ? isRemoved : removeUnless(db, opId, (op) => hasLeaseLeft(op, clock.now()));
}

/** How long a discard waits for the end of an attempt that is under way. */
const ATTEMPT_ENDS_WITHIN_MS = 3_000;
const LOOK_EVERY_MS = 100;

/**
 * Removes an op as `discardOp` does, and waits up to three seconds for an attempt that is under way: with no network it
 * fails within moments.
 */
export async function discardAfterAttempt(
  capabilities: Pick<Capabilities, 'lock' | 'clock'>,
  db: UserDb,
  opId: string,
): Promise<boolean> {
  const { clock } = capabilities;
  const until = clock.now() + ATTEMPT_ENDS_WITHIN_MS;
  while (!(await discardOp(capabilities, db, opId))) {
    if (clock.now() >= until) return false;
    await new Promise<void>((resolve) => {
      clock.setTimeout(resolve, LOOK_EVERY_MS);
    });
  }
  return true;
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
 * Removes every op that waits to be sent, with its images; what was refused stays until the person decides. With `shown`
 * only those of them that the person was asked about: what was stored since stays, too.
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
 * Takes every op back from who is about to send it: nothing of it goes out any more. One that is under way in another tab
 * is not sent beside it: that tab holds its lock, and only once the next lease of it has run out the tab counts as suspended.
 */
export async function takeBackLeased(db: UserDb): Promise<void> {
  await db.ops.where('state').equals('sending').modify({ state: 'queued', leaseOwner: null });
}
