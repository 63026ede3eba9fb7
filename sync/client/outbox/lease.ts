import type { Lock } from '#sync/client/capabilities.ts';
import type { UserDb } from '#sync/client/db.ts';
import type { Drain } from '#sync/client/drain/drain-context.ts';
import { hasPassed } from '#sync/client/has-passed.ts';
import type { Lane } from '#sync/operations/operation.ts';
import { laneOf, type Op } from '#sync/operations/registry.ts';
import { NEVER_SENT } from '#sync/protocol/op.ts';

/** How long a lease lasts; it is renewed while answers are awaited, so that a killed tab blocks nobody. */
export const LEASE_MS = 30_000;
const LEASE_RENEWAL_MS = 10_000;

/** The lock held while an op is being sent: it cannot be withdrawn meanwhile. */
export const sendLockName = (opId: string) => `send:${opId}`;

/** The lock held by a drain while it may have leases: if it is free, the drain has ended or its tab is gone. */
export const ownerLockName = (owner: string) => `lease-owner:${owner}`;

/**
 * The owners of `leased` ops that are certainly gone. One whose lock is held may be suspended; where locks do not span tabs,
 * nothing is known about owners in other tabs.
 */
export async function findGoneOwners(
  { lock, tabId }: { lock: Lock; tabId: string },
  leased: readonly Op[],
): Promise<ReadonlySet<string>> {
  const owners = new Set(leased.flatMap(({ leaseOwner }) => (leaseOwner === null ? [] : [leaseOwner])));
  const known = [...owners].filter((owner) => lock.spansTabs || owner.startsWith(`${tabId}:`));
  if (known.length === 0) return new Set();
  // Without a response of the browser the leases just expire.
  const held = await lock.heldNames().catch(() => null);
  return new Set(held === null ? [] : known.filter((owner) => !held.has(ownerLockName(owner))));
}

/** Whether the current lease of `op` is its first one. */
export function isFirstLease({ firstLeasedAt, leaseUntil }: Op): boolean {
  return firstLeasedAt === leaseUntil - LEASE_MS;
}

const NOBODY: ReadonlySet<string> = new Set();

/** Whether the time of the last lease of `op` is not over, even if it was revoked. */
export function hasLeaseLeft({ leaseUntil }: Pick<Op, 'leaseUntil'>, nowMs: number): boolean {
  return !hasPassed(leaseUntil, nowMs, LEASE_MS);
}

/** Whether `op` has a lease that has not expired and whose owner is not known to be gone. */
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

/** Returns leased ops that were not sent to the queue. */
export async function releaseLeases(context: LeaseHolder, ops: readonly Op[]): Promise<void> {
  const release = { state: 'queued', leaseOwner: null } as const;
  await modifyLeased(context, ops.filter(isFirstLease), { ...release, ...NEVER_SENT });
  await modifyLeased(
    context,
    ops.filter((op) => !isFirstLease(op)),
    release,
  );
}

/** Renews the leases until the returned function is called. */
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
      // The database is closed or deleted: no lease is needed.
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
