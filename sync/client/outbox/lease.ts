import type { UserDb } from '#sync/client/db.ts';
import type { Drain, Lock } from '#sync/client/types.ts';
import type { Lane } from '#sync/operations/operation.ts';
import { laneOf, type Op } from '#sync/operations/registry.ts';
import { NEVER_SENT } from '#sync/protocol/op.ts';
import { isDue } from './retry.ts';

/** A lease lasts this long and is renewed while answers are awaited, so that a killed tab blocks nobody. */
export const LEASE_MS = 30_000;
const LEASE_RENEWAL_MS = 10_000;

/** Held while an op is on its way: then nobody withdraws it. */
export const sendLock = (opId: string) => `send:${opId}`;

/** Held by a drain for as long as it may have leases: where it is free, the drain is over or its tab is gone. */
export const ownerLock = (owner: string) => `lease-owner:${owner}`;

/**
 * The owners among those of `leased` that are gone for certain. One whose lock is held may be frozen; on a browser whose
 * locks do not span tabs nothing is known of the owners in other tabs.
 */
export async function findGoneOwners(
  { lock, tabId }: { lock: Lock; tabId: string },
  leased: readonly Op[],
): Promise<ReadonlySet<string>> {
  const owners = new Set(leased.flatMap(({ leaseOwner }) => (leaseOwner === null ? [] : [leaseOwner])));
  const known = [...owners].filter((owner) => lock.spansTabs || owner.startsWith(`${tabId}:`));
  if (known.length === 0) return new Set();
  // A browser that does not say who is alive lets the leases run out.
  const held = await lock.heldNames().catch(() => null);
  return new Set(held === null ? [] : known.filter((owner) => !held.has(ownerLock(owner))));
}

/** Whether `op`, as it was leased, had never been leased before. */
export function isFirstLease({ firstLeasedAt, leaseUntil }: Op): boolean {
  return firstLeasedAt === leaseUntil - LEASE_MS;
}

const NOBODY: ReadonlySet<string> = new Set();

/** Whether the last lease of `op` has not run out, though somebody may have taken it back. */
export function hasLeaseLeft({ leaseUntil }: Pick<Op, 'leaseUntil'>, nowMs: number): boolean {
  return !isDue(leaseUntil, nowMs, LEASE_MS);
}

/** Whether the lease of `op` may still be used: it has not run out, and its owner is not known to be gone. */
export function isLeaseLive(op: Op, nowMs: number, goneOwners: ReadonlySet<string> = NOBODY): boolean {
  if (op.state !== 'sending' || !hasLeaseLeft(op, nowMs)) return false;
  return op.leaseOwner === null || !goneOwners.has(op.leaseOwner);
}

/** The leased ops of a lane. */
export async function leasedOps(db: UserDb, lane: Lane): Promise<Op[]> {
  return db.ops
    .where('state')
    .equals('sending')
    .filter((op) => laneOf(op) === lane)
    .toArray();
}

/** A drain as far as its leases go. */
type LeaseHolder = Pick<Drain, 'db' | 'clock' | 'owner'>;

/** Changes those of `ops` that are still leased to this owner: about the others somebody else decides by now. */
export async function modifyLeased(
  { db, owner }: LeaseHolder,
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
export async function isLeased({ db, owner }: LeaseHolder, op: Op): Promise<boolean> {
  const row = await db.ops.get(op.seq);
  return row?.opId === op.opId && row.state === 'sending' && row.leaseOwner === owner;
}

/** Puts ops that were leased but not sent back into the queue. */
export async function releaseLeases(context: LeaseHolder, ops: readonly Op[]): Promise<void> {
  const release = { state: 'queued', leaseOwner: null } as const;
  await modifyLeased(context, ops.filter(isFirstLease), { ...release, ...NEVER_SENT });
  const others = ops.filter((op) => !isFirstLease(op));
  if (others.length > 0) await modifyLeased(context, others, release);
}

/** Keeps the leases alive until the returned function is called. */
export function renewLeases(context: LeaseHolder, ops: readonly Op[]): () => void {
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
