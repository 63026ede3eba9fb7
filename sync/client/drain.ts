import { type Lane, laneOf, type Op } from '#sync/protocol/op.ts';
import type { Outcome } from '#sync/protocol/outcome.ts';
import { background } from './background.ts';
import { LEASE_MS, releaseLeases, renewLeases, sendLock } from './lease.ts';
import { drainLock } from './lock.ts';
import { isDue } from './retry.ts';
import { sendOp } from './send.ts';
import { type Answered, type NextStep, settle, stepAfter } from './settle.ts';
import { withRoom } from './storage.ts';
import type { DrainContext } from './types.ts';

/** Somebody else drains this lane; whatever they leave is looked at after this. */
const LOCK_RETRY_MS = 500;

/** So many ops are leased together: a transaction for each would take longer than the sending. */
const BATCH_OPS: Record<Lane, number> = { votes: 100, creations: 1 };
/** So many of a batch are on their way at a time: correctness does not depend on the order, and each waits alone. */
const IN_FLIGHT_MAX = 3;
/**
 * Answers are stored together too, but none waits longer than this while the next op is on its way: each storing makes
 * every open tab read its lists again.
 */
const SETTLE_WITHIN_MS = 1_500;

/**
 * Sends what is due in one lane, lowest number first, one creation or a few votes at a time, until nothing is due, the
 * server cannot be reached, or the user is not signed in any more. Returns the wait until the lane should be looked at again in
 * milliseconds, or null when nothing in it waits. Runs once at a time for a user and lane across all tabs; when another
 * one holds the lock it sends nothing.
 */
export async function drainLane(context: DrainContext, lane: Lane): Promise<number | null> {
  let pauseMs = 0;
  const ran = await context.lock.run(drainLock(context.userId, lane), async () => {
    for (;;) {
      pauseMs = pauseLeftMs(context, lane);
      if (pauseMs > 0 || !(await context.isSignedIn())) return;
      const ops = await withRoom(context.storage, context.db, () => claimDue(context, lane));
      if (ops.length === 0) return;
      const next = await sendBatch(context, lane, ops);
      if (next === 'go_on') continue;
      pauseMs = next === 'blocked' ? 0 : next.pauseMs;
      return;
    }
  });
  if (!ran) pauseMs = LOCK_RETRY_MS;
  const waitMs = await waitUntilDueMs(context, lane);
  return waitMs === null ? null : Math.max(waitMs, pauseMs);
}

/** How long the server still wants to be left alone, in milliseconds. */
function pauseLeftMs({ clock, trouble }: DrainContext, lane: Lane): number {
  const { notBeforeMs } = trouble[lane];
  return isDue(notBeforeMs, clock.now()) ? 0 : notBeforeMs - clock.now();
}

/**
 * Sends leased ops, lowest number first: one alone, and when the server took it well the rest a few at a time. Those
 * that are not reached go back to the queue.
 */
async function sendBatch(context: DrainContext, lane: Lane, ops: readonly Op[]): Promise<NextStep> {
  const stopRenewal = renewLeases(context, ops);
  const settlement = createSettlement(context);
  const rest = [...ops];
  let next: NextStep = 'go_on';

  async function sendNext(): Promise<void> {
    const op = rest.shift();
    const outcome = op === undefined ? null : await sendLocked(context, op);
    if (op === undefined || outcome === null) return;
    const answered = { op, outcome };
    // Of those that were on their way together the first to meet trouble tells all there is to know of the lane.
    if (next === 'go_on') next = stepAfter(context, lane, answered);
    settlement.add(answered);
  }

  async function sendRest(): Promise<void> {
    try {
      while (next === 'go_on' && rest.length > 0) await sendNext();
    } catch (error) {
      // Where one breaks, the others end what they are at and begin nothing more.
      rest.length = 0;
      throw error;
    }
  }

  try {
    await sendNext();
    const sending = await Promise.allSettled(Array.from({ length: IN_FLIGHT_MAX }, sendRest));
    const broken = sending.find((each) => each.status === 'rejected');
    if (broken !== undefined) throw broken.reason;
    await releaseLeases(context, rest);
    await settlement.finish();
  } finally {
    stopRenewal();
  }
  return next;
}

/** Sends an op while nobody can withdraw it; null for one that was withdrawn before. */
async function sendLocked(context: DrainContext, op: Op): Promise<Outcome | null> {
  let outcome: Outcome | null = null;
  await context.lock.run(sendLock(op.opId), async () => {
    outcome = await sendOp(context, op);
  });
  return outcome;
}

/** Collects answers and stores them together, none later than `SETTLE_WITHIN_MS` after it came. */
function createSettlement(context: DrainContext) {
  let answers: Answered[] = [];
  let settling = Promise.resolve();
  let cancelTimer: (() => void) | null = null;

  function flush(): Promise<void> {
    cancelTimer?.();
    cancelTimer = null;
    const batch = answers;
    answers = [];
    if (batch.length > 0) settling = settling.then(() => settle(context, batch));
    return settling;
  }

  return {
    add(answered: Answered) {
      answers.push(answered);
      // A failure is kept in `settling` and thrown by `finish`.
      cancelTimer ??= context.clock.setTimeout(() => background(flush()), SETTLE_WITHIN_MS);
    },
    finish: flush,
  };
}

async function waitUntilDueMs({ db, clock, owner }: DrainContext, lane: Lane): Promise<number | null> {
  const now = clock.now();
  const waiting = await db.ops
    .where('state')
    .anyOf('queued', 'sending')
    .filter((op) => laneOf(op) === lane)
    .toArray();
  if (waiting.length === 0) return null;
  const moments = waiting.map((op) => {
    if (isSendable(op, lane, owner, now)) return now;
    return op.state === 'sending' ? op.leaseUntil : op.nextAttemptAt;
  });
  return Math.max(0, Math.min(...moments) - now);
}

function isSendable(op: Op, lane: Lane, owner: string, nowMs: number): boolean {
  if (laneOf(op) !== lane) return false;
  if (op.state === 'queued') return isDue(op.nextAttemptAt, nowMs);
  // One owner drains a lane once at a time: a lease of one's own is left over from a drain that broke.
  if (op.state === 'sending' && op.leaseOwner === owner) return true;
  return op.state === 'sending' && isDue(op.leaseUntil, nowMs, LEASE_MS);
}

/** Under a lock that spans all tabs nobody else can be sending: whoever leased it is gone (a reload, a crash). */
function isLeftOver(op: Op, lane: Lane): boolean {
  return op.state === 'sending' && laneOf(op) === lane;
}

/** Leases the lowest ops that are due; those behind one that has just met trouble come first. */
async function claimDue(context: DrainContext, lane: Lane): Promise<Op[]> {
  const { db, clock, lock, owner, trouble } = context;
  const { behindSeq } = trouble[lane];
  return db.transaction('rw', db.ops, async () => {
    const now = clock.now();
    const due = await db.ops
      .orderBy('seq')
      .filter((op) => isSendable(op, lane, owner, now) || (lock.spansTabs && isLeftOver(op, lane)))
      .toArray();
    const behind = due.filter((op) => op.seq > behindSeq);
    const before = due.filter((op) => op.seq <= behindSeq);
    const leased = [...behind, ...before]
      .slice(0, BATCH_OPS[lane])
      .map((op): Op => ({ ...op, state: 'sending', leaseOwner: owner, leaseUntil: now + LEASE_MS }));
    await db.ops.bulkPut(leased);
    return leased;
  });
}
