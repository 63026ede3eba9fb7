import type { Lock } from '#sync/client/capabilities.ts';
import type { UserDb } from '#sync/client/db.ts';
import type { Drain } from '#sync/client/drain/drain-context.ts';
import { hasPassed } from '#sync/client/has-passed.ts';
import type { Lane } from '#sync/operations/operation.ts';
import { laneOf, type Op } from '#sync/operations/registry.ts';
import { NEVER_SENT_FIELDS } from '#sync/protocol/op.ts';

/** How long a lease lasts unless it is renewed. Short, so that a suspended tab does not block others for long. */
export const LEASE_MS = 30_000;
const LEASE_RENEWAL_MS = 10_000;

/** The name of the lock that is held while an op is being sent or discarded, so that only one of them happens at a time. */
export const sendLockName = (opId: string) => `send:${opId}`;

/**
 * The name of the lock that a drain holds while it may have leases. If the lock is free, the drain has ended, or its tab was
 * closed, reloaded or has crashed.
 */
export const ownerLockName = (owner: string) => `lease-owner:${owner}`;

/**
 * Finds the owners of `leased` ops that are certainly gone, because their lock is free. An owner whose lock is held may be
 * suspended. If tabs do not share locks, only owners in this tab can be found.
 */
export async function findGoneOwners(
  { lock, tabId }: { lock: Lock; tabId: string },
  leased: readonly Op[],
): Promise<ReadonlySet<string>> {
  const owners = new Set(leased.flatMap(({ leaseOwner }) => (leaseOwner === null ? [] : [leaseOwner])));
  const checkable = [...owners].filter((owner) => lock.spansTabs || owner.startsWith(`${tabId}:`));
  if (checkable.length === 0) return new Set();
  // If the browser does not respond, the leases expire later.
  const heldNames = await lock.heldNames().catch(() => null);
  return new Set(heldNames === null ? [] : checkable.filter((owner) => !heldNames.has(ownerLockName(owner))));
}

/** Whether `op`, as it was when it was leased (`leaseDue`), had its first lease. A renewal changes only the stored row. */
export function isFirstLease({ firstLeasedAt, leaseUntil }: Op): boolean {
  return firstLeasedAt === leaseUntil - LEASE_MS;
}

const NO_OWNERS: ReadonlySet<string> = new Set();

/** Whether the latest lease of an op has not expired yet, even if it was revoked. */
export function hasLeaseLeft({ leaseUntil }: Pick<Op, 'leaseUntil'>, nowMs: number): boolean {
  return !hasPassed(leaseUntil, nowMs, LEASE_MS);
}

/** Whether `op` has a lease that has not expired and whose owner is not known to be gone. */
export function isLeaseLive(op: Op, nowMs: number, goneOwners: ReadonlySet<string> = NO_OWNERS): boolean {
  if (op.state !== 'sending' || !hasLeaseLeft(op, nowMs)) return false;
  return op.leaseOwner === null || !goneOwners.has(op.leaseOwner);
}

/** Reads the leased ops of a lane. */
export async function leasedOps(db: UserDb, lane: Lane): Promise<Op[]> {
  return db.ops
    .where('state')
    .equals('sending')
    .filter((op) => laneOf(op) === lane)
    .toArray();
}

type LeaseHolder = Pick<Drain, 'db' | 'clock' | 'owner'>;

/** Changes those of `ops` that are still leased to this owner. */
export async function modifyLeased(
  { db, owner }: LeaseHolder,
  ops: readonly Op[],
  changes: Partial<Op>,
): Promise<void> {
  if (ops.length === 0) return;
  await db.ops
    .where('seq')
    .anyOf(ops.map((op) => op.seq))
    .and((op) => op.state === 'sending' && op.leaseOwner === owner)
    .modify(changes);
}

/** Whether `op` still exists and is leased to this owner. */
export async function isLeased({ db, owner }: LeaseHolder, op: Op): Promise<boolean> {
  const row = await db.ops.get(op.seq);
  return row?.opId === op.opId && row.state === 'sending' && row.leaseOwner === owner;
}

/** Returns leased ops to the queue. They were not sent. */
export async function releaseLeases(context: LeaseHolder, ops: readonly Op[]): Promise<void> {
  const release = { state: 'queued', leaseOwner: null } as const;
  await modifyLeased(context, ops.filter(isFirstLease), { ...release, ...NEVER_SENT_FIELDS });
  await modifyLeased(
    context,
    ops.filter((op) => !isFirstLease(op)),
    release,
  );
}

/** Renews the leases until the returned function is called. */
export function renewLeases(context: LeaseHolder, ops: readonly Op[]): () => void {
  const { clock } = context;
  let isStopped = false;
  let cancel = () => {};
  const schedule = () => {
    cancel = clock.setTimeout(() => void renew(), LEASE_RENEWAL_MS);
  };
  const renew = async () => {
    try {
      await modifyLeased(context, ops, { leaseUntil: clock.now() + LEASE_MS });
    } catch {
      // After a logout or a deletion of the database, no lease is needed. After another failure, the next renewal may succeed.
      if (context.db.hasBeenClosed()) return;
    }
    if (!isStopped) schedule();
  };
  schedule();
  return () => {
    isStopped = true;
    cancel();
  };
}
