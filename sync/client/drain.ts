import { type Lane, laneOf, type Op } from '#sync/protocol/op.ts';
import { isDue } from './retry.ts';
import { LEASE_MS, sendOp } from './send.ts';
import type { DrainContext } from './types.ts';

/** Somebody else drains this lane; whatever they leave is looked at after this. */
const LOCK_RETRY_MS = 500;

/**
 * Sends what is due in one lane, one op at a time and lowest number first, until nothing is due or the server
 * cannot be reached. Returns the wait until the lane should be looked at again in milliseconds, or null when
 * nothing in it waits. Runs once at a time for a user and lane across all tabs; when another one holds the lock
 * it sends nothing.
 */
export async function drainLane(context: DrainContext, lane: Lane): Promise<number | null> {
  let pauseMs = 0;
  const ran = await context.lock(`drain:${context.userId}:${lane}`, async () => {
    for (;;) {
      const op = await claimNext(context, lane);
      if (op === null) return;
      const next = await sendOp(context, op);
      if (next === 'go_on') continue;
      pauseMs = next === 'blocked' ? 0 : next.pauseMs;
      return;
    }
  });
  if (!ran) pauseMs = LOCK_RETRY_MS;
  const waitMs = await waitUntilDueMs(context, lane);
  return waitMs === null ? null : Math.max(waitMs, pauseMs);
}

async function waitUntilDueMs({ db, clock, owner }: DrainContext, lane: Lane): Promise<number | null> {
  const now = clock.now();
  const waiting = await db.ops
    .where('state')
    .anyOf('queued', 'sending')
    .filter((op) => laneOf(op.type) === lane)
    .toArray();
  if (waiting.length === 0) return null;
  const moments = waiting.map((op) => {
    if (isSendable(op, lane, owner, now)) return now;
    return op.state === 'sending' ? op.leaseUntil : op.nextAttemptAt;
  });
  return Math.max(0, Math.min(...moments) - now);
}

function isSendable(op: Op, lane: Lane, owner: string, nowMs: number): boolean {
  if (laneOf(op.type) !== lane) return false;
  if (op.state === 'queued') return isDue(op.nextAttemptAt, nowMs);
  // One owner sends one op of a lane at a time: a lease of one's own is left over from a drain that broke.
  if (op.state === 'sending' && op.leaseOwner === owner) return true;
  return op.state === 'sending' && isDue(op.leaseUntil, nowMs, LEASE_MS);
}

/** Leases the lowest op that is due, or returns null. */
async function claimNext({ db, clock, owner }: DrainContext, lane: Lane): Promise<Op | null> {
  return db.transaction('rw', db.ops, async () => {
    const now = clock.now();
    const op = await db.ops
      .orderBy('seq')
      .filter((candidate) => isSendable(candidate, lane, owner, now))
      .first();
    if (op === undefined) return null;
    const leased: Op = {
      ...op,
      state: 'sending',
      attempts: op.attempts + 1,
      leaseOwner: owner,
      leaseUntil: now + LEASE_MS,
    };
    await db.ops.put(leased);
    return leased;
  });
}
