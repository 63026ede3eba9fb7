import { type Lane, laneOf, type Op } from '#sync/protocol/op.ts';
import { LEASE_MS, releaseLeases, renewLeases } from './lease.ts';
import { isDue } from './retry.ts';
import { sendOp } from './send.ts';
import { type Answered, type NextStep, settle, stepAfter } from './settle.ts';
import type { DrainContext } from './types.ts';

/** Somebody else drains this lane; whatever they leave is looked at after this. */
const LOCK_RETRY_MS = 500;

/** So many ops are leased together: a transaction for each would take longer than the sending. */
const BATCH_OPS: Record<Lane, number> = { votes: 20, creations: 1 };
/** Answers are stored together too, but none waits longer than this while the next ops are sent. */
const SETTLE_WITHIN_MS = 150;

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
      const ops = await claimDue(context, lane);
      if (ops.length === 0) return;
      const next = await sendBatch(context, ops);
      if (next === 'go_on') continue;
      pauseMs = next === 'blocked' ? 0 : next.pauseMs;
      return;
    }
  });
  if (!ran) pauseMs = LOCK_RETRY_MS;
  const waitMs = await waitUntilDueMs(context, lane);
  return waitMs === null ? null : Math.max(waitMs, pauseMs);
}

/** Sends leased ops one after the other; those that are not reached go back to the queue. */
async function sendBatch(context: DrainContext, ops: readonly Op[]): Promise<NextStep> {
  const stopRenewal = renewLeases(context, ops);
  let next: NextStep = 'go_on';
  let unsettled: Answered[] = [];
  let settledAt = context.clock.now();
  try {
    for (const [index, op] of ops.entries()) {
      const answered = { op, outcome: await sendOp(context, op) };
      unsettled.push(answered);
      next = stepAfter(context, answered);
      const rest = ops.slice(index + 1);
      const isLate = context.clock.now() - settledAt >= SETTLE_WITHIN_MS;
      if (next !== 'go_on') await releaseLeases(context, rest);
      if (next !== 'go_on' || isLate || rest.length === 0) {
        await settle(context, unsettled);
        unsettled = [];
        settledAt = context.clock.now();
      }
      if (next !== 'go_on') break;
    }
  } finally {
    stopRenewal();
  }
  return next;
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
  // One owner drains a lane once at a time: a lease of one's own is left over from a drain that broke.
  if (op.state === 'sending' && op.leaseOwner === owner) return true;
  return op.state === 'sending' && isDue(op.leaseUntil, nowMs, LEASE_MS);
}

/** Leases the lowest ops that are due. */
async function claimDue({ db, clock, owner }: DrainContext, lane: Lane): Promise<Op[]> {
  return db.transaction('rw', db.ops, async () => {
    const now = clock.now();
    const due = await db.ops
      .orderBy('seq')
      .filter((op) => isSendable(op, lane, owner, now))
      .limit(BATCH_OPS[lane])
      .toArray();
    const leased = due.map(
      (op): Op => ({ ...op, state: 'sending', leaseOwner: owner, leaseUntil: now + LEASE_MS }),
    );
    await db.ops.bulkPut(leased);
    return leased;
  });
}
