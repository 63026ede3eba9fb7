import { v4 as uuidv4 } from 'uuid';
import { BATCH_MAX } from '#shared/batch.ts';
import { background } from '#sync/client/background.ts';
import { withRoom } from '#sync/client/cache/storage.ts';
import { drainLock } from '#sync/client/device/lock.ts';
import {
  findGoneOwners,
  isLeaseLive,
  LEASE_MS,
  leasedOps,
  ownerLock,
  releaseLeases,
  renewLeases,
} from '#sync/client/outbox/lease.ts';
import { needsDecision } from '#sync/client/outbox/overlay.ts';
import { isAttemptDue, isDue } from '#sync/client/outbox/retry.ts';
import { DATABASE_LIMIT_MS, withTimeLimit } from '#sync/client/time-limit.ts';
import type { Drain, DrainContext } from '#sync/client/types.ts';
import type { Lane } from '#sync/operations/operation.ts';
import { laneOf, type Op, operationOf } from '#sync/operations/registry.ts';
import { isNeverSent } from '#sync/protocol/op.ts';
import { sendTogether } from './send.ts';
import { type Answered, type NextStep, settle, stepAfter } from './settle.ts';

/** Somebody else drains this lane; whatever they leave is looked at after this. */
const LOCK_RETRY_MS = 500;

/** A repeated vote that has failed so often holds up no repeated poll any more. */
const PAYING_TRIES_MAX = 5;

/** So many ops are leased together: a transaction for each would take longer than the sending. */
const CLAIM_MAX: Record<Lane, number> = { votes: 200, creations: 1 };
/** So many requests are on their way at a time: correctness does not depend on the order. */
const IN_FLIGHT_MAX = 3;
/**
 * Answers are stored together too, but none waits longer than this while the next op is on its way: each storing makes
 * every open tab read its lists again.
 */
const SETTLE_WITHIN_MS = 1_500;

/**
 * Sends what is due in one lane, lowest number first, one creation or a few batches of votes at a time, until nothing is due, the
 * server cannot be reached, or the user is not signed in any more. Returns the wait until the lane should be looked at
 * again in milliseconds, or null when nothing in it waits.
 *
 * A lock keeps the drains of all tabs apart. A tab that holds it may be suspended for good: where the lock is held but no
 * op of the lane has a live lease, this drain relies on leases alone. Throws `TimeLimitError` when the database does not
 * answer.
 */
export async function drainLane(context: DrainContext, lane: Lane): Promise<number | null> {
  const drain: Drain = { ...context, lane, owner: `${context.tabId}:${uuidv4()}` };
  const { lock, userId } = drain;
  let pauseMs = 0;
  const hasLock = await lock.run(drainLock(userId, lane), async () => {
    pauseMs = await drainOwned(drain, true);
  });
  if (!hasLock) pauseMs = (await isAnySent(drain)) ? LOCK_RETRY_MS : await drainOwned(drain, false);
  const waitMs = await limited(drain, waitUntilDueMs(drain));
  return waitMs === null ? null : Math.max(waitMs, pauseMs);
}

/** Drains while it is known to be alive by the lock of its leases. Returns the pause that the lane needs afterwards. */
async function drainOwned(drain: Drain, hasLaneLock: boolean): Promise<number> {
  let pauseMs = 0;
  await drain.lock.run(ownerLock(drain.owner), async () => {
    pauseMs = await sendDue(drain, hasLaneLock);
  });
  return pauseMs;
}

async function sendDue(drain: Drain, hasLaneLock: boolean): Promise<number> {
  for (;;) {
    const pauseMs = pauseLeftMs(drain);
    if (pauseMs > 0 || !(await limited(drain, drain.isSignedIn()))) return pauseMs;
    const claim = withRoom(drain.storage, drain.db, () => claimDue(drain, hasLaneLock));
    const { ops, epoch } = await limited(drain, claim);
    if (ops.length === 0) return 0;
    const next = await sendClaimed(drain, ops, epoch);
    if (next === 'go_on') continue;
    return next === 'blocked' ? 0 : next.pauseMs;
  }
}

function limited<Result>({ clock }: Drain, work: PromiseLike<Result>): Promise<Result> {
  return withTimeLimit(clock, DATABASE_LIMIT_MS, work);
}

/** Whether an op of the lane has a lease that has not run out. */
async function isAnySent(drain: Drain): Promise<boolean> {
  const leased = await limited(drain, leasedOps(drain.db, drain.lane));
  return leased.some((op) => isLeaseLive(op, drain.clock.now()));
}

/** How long the server still wants to be left alone, in milliseconds. */
function pauseLeftMs({ clock, trouble, lane }: Drain): number {
  const { notBeforeMs } = trouble[lane];
  return isDue(notBeforeMs, clock.now()) ? 0 : notBeforeMs - clock.now();
}

/**
 * Sends leased ops, lowest number first: one alone, and when the server took it well the rest in batches. Those that are
 * not reached go back to the queue.
 */
async function sendClaimed(drain: Drain, ops: readonly Op[], epoch: string | undefined): Promise<NextStep> {
  const stopRenewal = renewLeases(drain, ops);
  const settlement = createSettlement(drain);
  const rest = [...ops];
  let next: NextStep = 'go_on';

  async function send(batch: readonly Op[]): Promise<void> {
    const outcomes = await sendTogether(drain, batch, epoch);
    for (const [nth, op] of batch.entries()) {
      const outcome = outcomes[nth] ?? null;
      if (outcome === null) continue;
      const answered = { op, outcome, epoch };
      // Of those that were on their way together the first to meet trouble tells all there is to know of the lane.
      if (next === 'go_on') next = stepAfter(drain, answered);
      settlement.add(answered);
    }
  }

  async function sendRest(): Promise<void> {
    try {
      while (next === 'go_on' && rest.length > 0) await send(rest.splice(0, batchSize(rest)));
    } catch (error) {
      // Where one breaks, the others end what they are at and begin nothing more.
      rest.length = 0;
      throw error;
    }
  }

  try {
    await send(rest.splice(0, 1));
    const sending = await Promise.allSettled(Array.from({ length: IN_FLIGHT_MAX }, sendRest));
    const broken = sending.find((each) => each.status === 'rejected');
    if (broken !== undefined) throw broken.reason;
    await limited(drain, releaseLeases(drain, rest));
    await limited(drain, settlement.finish());
  } finally {
    stopRenewal();
  }
  return next;
}

/** How many of the next ops share a request. One that has met trouble goes alone, so that it cannot hold up others again. */
function batchSize(ops: readonly Op[]): number {
  const firstTried = ops.findIndex((op) => op.attempts > 0);
  const untried = firstTried === -1 ? ops.length : firstTried;
  return Math.min(Math.max(1, untried), BATCH_MAX);
}

/** Collects answers and stores them together, none later than `SETTLE_WITHIN_MS` after it came. */
function createSettlement(drain: Drain) {
  let answers: Answered[] = [];
  let settling = Promise.resolve();
  let cancelTimer: (() => void) | null = null;

  function flush(): Promise<void> {
    cancelTimer?.();
    cancelTimer = null;
    const unsettled = answers;
    answers = [];
    if (unsettled.length > 0) settling = settling.then(() => settle(drain, unsettled));
    return settling;
  }

  return {
    add(answered: Answered) {
      answers.push(answered);
      // A failure is kept in `settling` and thrown by `finish`.
      cancelTimer ??= drain.clock.setTimeout(() => background(flush()), SETTLE_WITHIN_MS);
    },
    finish: flush,
  };
}

async function waitUntilDueMs({ db, clock, lane }: Drain): Promise<number | null> {
  const now = clock.now();
  const ops = await db.ops.toArray();
  const waiting = ops.filter(
    (op) => laneOf(op) === lane && (op.state === 'queued' || op.state === 'sending'),
  );
  if (waiting.length === 0) return null;
  const moments = waiting.flatMap((op) => {
    const before = opsToSendBefore(op, ops);
    // It goes on with the login.
    if (before.some(({ state }) => state === 'blocked_auth')) return [];
    if (before.length > 0) {
      return Math.max(now + LOCK_RETRY_MS, Math.min(...before.map(({ nextAttemptAt }) => nextAttemptAt)));
    }
    if (isSendable(op, now)) return now;
    return op.state === 'sending' ? op.leaseUntil : op.nextAttemptAt;
  });
  return moments.length === 0 ? null : Math.max(0, Math.min(...moments) - now);
}

/**
 * The ops that must have left the queue before `op` is sent: earlier ones about the same poll, and before a repeated op that
 * costs points the repeated ones that earn some.
 */
function opsToSendBefore(op: Op, ops: readonly Op[]): Op[] {
  const isCostly = op.isRepeated === true && pointsOf(op).spent > 0;
  return ops.filter((other) => {
    if (needsDecision(other) || laneOf(other) === undefined) return false;
    if (other.entityId === op.entityId && other.seq < op.seq) return true;
    const mayStillPay = other.isRepeated === true && other.attempts < PAYING_TRIES_MAX;
    return isCostly && mayStillPay && pointsOf(other).earned > 0;
  });
}

function pointsOf(op: Op): { earned: number; spent: number } {
  return operationOf(op).points(op.payload);
}

/** Whether an op is due and nobody can be sending it. */
function isSendable(op: Op, nowMs: number, goneOwners?: ReadonlySet<string>): boolean {
  if (op.state === 'queued') return isAttemptDue(op, nowMs);
  return op.state === 'sending' && !isLeaseLive(op, nowMs, goneOwners);
}

/**
 * Leases the lowest ops that are due; those behind one that has just met trouble come first. With the lock of the lane a
 * lease whose owner is gone (a reload, a crash) counts as run out. `epoch` is that of the server which the device knows.
 */
async function claimDue(
  drain: Drain,
  hasLaneLock: boolean,
): Promise<{ ops: Op[]; epoch: string | undefined }> {
  const { db, clock, owner, lane, trouble, userId } = drain;
  const { behindSeq } = trouble[lane];
  const goneOwners = hasLaneLock ? await findGoneOwners(drain, await leasedOps(db, lane)) : undefined;
  return db.transaction('rw', db.ops, db.user, async () => {
    const now = clock.now();
    const epoch = (await db.user.get(userId))?.epoch;
    const ops = await db.ops.orderBy('seq').toArray();
    const due = ops.filter(
      (op) => laneOf(op) === lane && isSendable(op, now, goneOwners) && opsToSendBefore(op, ops).length === 0,
    );
    const behind = due.filter((op) => op.seq > behindSeq);
    const before = due.filter((op) => op.seq <= behindSeq);
    const leased = [...behind, ...before].slice(0, CLAIM_MAX[lane]).map(
      (op): Op => ({
        ...op,
        state: 'sending',
        leaseOwner: owner,
        leaseUntil: now + LEASE_MS,
        ...(op.state === 'sending' && { wasTakenOver: true }),
        // Ops of the first release do not tell whether they were ever leased: theirs stays unknown.
        ...(op.firstLeasedAt === null && { firstLeasedAt: isNeverSent(op) ? now : op.leaseUntil - LEASE_MS }),
      }),
    );
    await db.ops.bulkPut(leased);
    return { ops: leased, epoch };
  });
}
