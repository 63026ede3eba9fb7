import type { Op } from '#sync/protocol/op.ts';
import type { DrainContext } from './types.ts';

/** A lease lasts this long and is renewed while answers are awaited, so that a killed tab blocks nobody. */
export const LEASE_MS = 30_000;
const LEASE_RENEWAL_MS = 10_000;

/** Held while an op is on its way: then nobody withdraws it. */
export const sendLock = (opId: string) => `send:${opId}`;

/** Changes those of `ops` that are still leased to this owner: about the others somebody else decides by now. */
export async function modifyLeased(
  { db, owner }: DrainContext,
  ops: readonly Op[],
  changes: Partial<Op>,
): Promise<void> {
  await db.ops
    .where('seq')
    .anyOf(ops.map((op) => op.seq))
    .and((op) => op.state === 'sending' && op.leaseOwner === owner)
    .modify(changes);
}

/** Whether `op` is still there and leased to this owner. */
export async function isLeased({ db, owner }: DrainContext, op: Op): Promise<boolean> {
  const row = await db.ops.get(op.seq);
  return row?.opId === op.opId && row.state === 'sending' && row.leaseOwner === owner;
}

/** Puts ops that were leased but not sent back into the queue. */
export async function releaseLeases(context: DrainContext, ops: readonly Op[]): Promise<void> {
  await modifyLeased(context, ops, { state: 'queued', leaseOwner: null });
}

/** Keeps the leases alive until the returned function is called. */
export function renewLeases(context: DrainContext, ops: readonly Op[]): () => void {
  const { clock } = context;
  let stopped = false;
  let cancel = () => {};
  const schedule = () => {
    cancel = clock.setTimeout(() => void renew(), LEASE_RENEWAL_MS);
  };
  const renew = async () => {
    try {
      await modifyLeased(context, ops, { leaseUntil: clock.now() + LEASE_MS });
    } catch {
      // The database is gone from under this tab; so is the need for the lease.
      return;
    }
    if (!stopped) schedule();
  };
  schedule();
  return () => {
    stopped = true;
    cancel();
  };
}
