import type { Capabilities } from '#sync/client/capabilities.ts';
import type { UserDb } from '#sync/client/db.ts';
import { type Op, operationOf } from '#sync/operations/registry.ts';
import { needsDecision } from '#sync/protocol/op.ts';
import { hasLeaseLeft, isLeaseLive, sendLockName } from './lease.ts';

/** Removes ops in any state, with their images. Runs in the caller's transaction. */
export async function removeOps(db: UserDb, ops: readonly Op[]): Promise<void> {
  await db.ops.bulkDelete(ops.map(({ seq }) => seq));
  await db.opBlobs
    .where('opId')
    .anyOf(ops.map(({ opId }) => opId))
    .delete();
}

/**
 * Removes an op with its images, and with a waiting op those that depend on it. Resolves with false, and removes nothing, while the op is
 * being sent, since its outcome is unknown. A tab whose lease has expired does not count as sending: the tab is suspended, or a
 * logout has revoked the lease, so that it was no longer renewed.
 */
export async function discardOp(
  { lock, clock }: Pick<Capabilities, 'lock' | 'clock'>,
  db: UserDb,
  opId: string,
): Promise<boolean> {
  let isRemoved = false;
  // While this tab holds the op's lock, no other tab sends the op, unless tabs do not share locks, or the op was taken over and
  // is sent without the lock.
  const hasLock = await lock.run(sendLockName(opId), async () => {
    isRemoved = await removeUnless(
      db,
      opId,
      (op) => (!lock.spansTabs || op.wasTakenOver === true) && isLeaseLive(op, clock.now()),
    );
  });
  // A logout may have revoked the lease although another tab is still sending the op.
  return hasLock ? isRemoved : removeUnless(db, opId, (op) => hasLeaseLeft(op, clock.now()));
}

async function removeUnless(db: UserDb, opId: string, isBeingSent: (op: Op) => boolean): Promise<boolean> {
  return db.transaction('rw', db.ops, db.opBlobs, async () => {
    const op = await db.ops.where('opId').equals(opId).first();
    if (op === undefined) return true;
    if (isBeingSent(op)) return false;
    await removeOps(db, needsDecision(op) ? [op] : [op, ...(await waitingDependentsOf(db, op))]);
    return true;
  });
}

/** The waiting ops that depend on an op, oldest first: they would be refused without it. Runs in the caller's transaction. */
export async function waitingDependentsOf(db: UserDb, { type, entityId }: Op): Promise<Op[]> {
  const ops = await db.ops.where('entityId').equals(entityId).sortBy('seq');
  return ops.filter((op) => operationOf(op).dependsOn === type && !needsDecision(op));
}

/**
 * Removes every op that waits to be sent, with its images. Refused ops remain until the user decides about them. `shown`: the
 * ids of the ops that the user has seen; if given, only these are removed.
 */
export async function discardWaiting(db: UserDb, shown?: readonly string[]): Promise<void> {
  await db.transaction('rw', db.ops, db.opBlobs, async () => {
    const isIncluded = ({ opId }: Op) => shown === undefined || shown.includes(opId);
    await removeOps(db, await db.ops.filter((op) => !needsDecision(op) && isIncluded(op)).toArray());
  });
}

/**
 * Revokes all leases, so that no drain starts to send the leased ops. An op that another tab is sending at the moment is not
 * sent twice, because that tab holds the op's lock. If tabs do not share locks, the op waits until its lease would have expired:
 * its `leaseOwner` remains (see `isSendable`), except after a change of the server (`isOtherServer`): the new server must receive
 * the op in any case. `wasTakenOver` is reset, because it would allow sending without the lock.
 */
export async function revokeLeases(db: UserDb, { isOtherServer = false } = {}): Promise<void> {
  await db.ops
    .where('state')
    .equals('sending')
    .modify({ state: 'queued', wasTakenOver: false, ...(isOtherServer && { leaseOwner: null }) });
}
