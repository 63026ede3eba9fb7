import { v4 as uuidv4 } from 'uuid';
import { BATCH_MAX_REQUESTS } from '#shared/batch.ts';
import { background } from '#sync/client/background.ts';
import { withFreedSpace } from '#sync/client/cache/storage.ts';
import { drainLockName } from '#sync/client/device/lock.ts';
import { hasPassed } from '#sync/client/has-passed.ts';
import {
  findGoneOwners,
  isLeaseLive,
  LEASE_MS,
  leasedOps,
  ownerLockName,
  releaseLeases,
  renewLeases,
} from '#sync/client/outbox/lease.ts';
import { isAttemptDue } from '#sync/client/outbox/retry.ts';
import { withDatabaseLimit } from '#sync/client/time-limit.ts';
import type { Lane } from '#sync/operations/operation.ts';
import { laneOf, type Op, operationOf } from '#sync/operations/registry.ts';
import { isNeverSent, needsDecision } from '#sync/protocol/op.ts';
import { RETRY_AFTER_MAX_MS } from '#sync/protocol/outcome.ts';
import type { Drain, DrainContext, LaneBackoff } from './drain-context.ts';
import { sendTogether } from './send.ts';
import { type Answered, type NextStep, nextStep, settle } from './settle.ts';

/** The pause before the next look at a lane that somebody else drains, or whose user is logging out. */
const LOCK_RETRY_MS = 500;

/** Repeated polls wait for repeated votes, which earn points, but only for so many attempts of each. */
const EARNING_ATTEMPTS_MAX = 5;

/** The most ops leased in one transaction: a transaction for each would take longer than sending. */
const LEASED_MAX: Record<Lane, number> = { votes: 200, creations: 1 };
/** The most requests in flight; correctness does not depend on their order. */
const IN_FLIGHT_MAX = 3;
/**
 * Answers are stored together, at most this long after they arrived: each write makes every open tab read its lists
 * again.
 */
const SETTLE_DELAY_MAX_MS = 1_500;

/**
 * Sends what is due in one lane, lowest `seq` first, one creation or a few batches of votes at a time, until nothing is due,
 * the server cannot be reached, or the user is no longer logged in. Returns the milliseconds until the next look at the
 * lane, or null when nothing waits in it.
 *
 * A lock keeps the drains of all tabs apart. Since the tab that holds it may be suspended, this drain relies on leases alone
 * when no op of the lane has a live lease. Throws `TimeLimitError` when the database does not answer.
 */
export async function drainLane(context: DrainContext, lane: Lane): Promise<number | null> {
  const drain: Drain = { ...context, lane, owner: `${context.tabId}:${uuidv4()}` };
  const { lock, userId } = drain;
  let pauseMs = 0;
  const hasLock = await lock.run(drainLockName(userId, lane), async () => {
    pauseMs = await drainWithOwnerLock(drain, true);
  });
  if (!hasLock)
    pauseMs = (await hasLiveLease(drain)) ? LOCK_RETRY_MS : await drainWithOwnerLock(drain, false);
  const waitMs = await withDatabaseLimit(drain.clock, waitUntilDueMs(drain));
  return waitMs === null ? null : Math.max(waitMs, pauseMs);
}

/** Drains while holding the lock that shows its leases to be alive. Returns the pause that the lane needs afterwards. */
async function drainWithOwnerLock(drain: Drain, hasLaneLock: boolean): Promise<number> {
  let pauseMs = 0;
  await drain.lock.run(ownerLockName(drain.owner), async () => {
    pauseMs = await sendDue(drain, hasLaneLock);
  });
  return pauseMs;
}

async function sendDue(drain: Drain, hasLaneLock: boolean): Promise<number> {
  for (;;) {
    const pauseMs = remainingPauseMs(drain);
    if (pauseMs > 0 || !(await withDatabaseLimit(drain.clock, drain.isLoggedIn()))) return pauseMs;
    const leasing = withFreedSpace(drain.storage, drain.db, () => leaseDue(drain, hasLaneLock));
    const leased = await withDatabaseLimit(drain.clock, leasing);
    if (leased === null) return LOCK_RETRY_MS;
    const { ops, epoch } = leased;
    if (ops.length === 0) return 0;
    const next = await sendLeased(drain, ops, epoch);
    if (next === 'continue') continue;
    return next === 'blocked' ? 0 : next.pauseMs;
  }
}

/** Lanes without failures. */
export function noBackoff(): Record<Lane, LaneBackoff> {
  const none = { failures: 0, behindSeq: 0, notBeforeMs: 0, authFailures: 0 };
  return { votes: none, creations: none };
}

async function hasLiveLease(drain: Drain): Promise<boolean> {
  const leased = await withDatabaseLimit(drain.clock, leasedOps(drain.db, drain.lane));
  return leased.some((op) => isLeaseLive(op, drain.clock.now()));
}

/** The milliseconds left of the pause that the server has asked for. */
function remainingPauseMs({ clock, backoff, lane }: Drain): number {
  const { notBeforeMs } = backoff[lane];
  return hasPassed(notBeforeMs, clock.now(), RETRY_AFTER_MAX_MS) ? 0 : notBeforeMs - clock.now();
}

/**
 * Sends leased ops, lowest `seq` first: one alone and, if that went well, the rest in batches. Returns those that are not
 * reached to the queue.
 */
async function sendLeased(drain: Drain, ops: readonly Op[], epoch: string | undefined): Promise<NextStep> {
  const stopRenewal = renewLeases(drain, ops);
  const settlement = createSettlement(drain);
  const rest = [...ops];
  let next: NextStep = 'continue';

  async function send(batch: readonly Op[]): Promise<void> {
    const outcomes = await sendTogether(drain, batch, epoch);
    for (const [nth, op] of batch.entries()) {
      const outcome = outcomes[nth] ?? null;
      if (outcome === null) continue;
      const answered = { op, outcome, epoch };
      // Of ops sent together only the first failure counts.
      if (next === 'continue') next = nextStep(drain, answered);
      settlement.add(answered);
    }
  }

  async function sendRest(): Promise<void> {
    try {
      while (next === 'continue' && rest.length > 0) await send(rest.splice(0, batchSize(rest)));
    } catch (error) {
      // The other senders finish their request and start no more.
      rest.length = 0;
      throw error;
    }
  }

  try {
    await send(rest.splice(0, 1));
    const sending = await Promise.allSettled(Array.from({ length: IN_FLIGHT_MAX }, sendRest));
    const failed = sending.find((each) => each.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
    await withDatabaseLimit(drain.clock, releaseLeases(drain, rest));
    await withDatabaseLimit(drain.clock, settlement.finish());
  } finally {
    stopRenewal();
  }
  return next;
}

/** How many of the next ops share a request. One that has failed before goes alone, so that it delays no others again. */
function batchSize(ops: readonly Op[]): number {
  const firstAlone = ops.findIndex((op) => op.attempts > 0 || !operationOf(op).isBatchable);
  const together = firstAlone === -1 ? ops.length : firstAlone;
  return Math.min(Math.max(1, together), BATCH_MAX_REQUESTS);
}

/** Collects answers and stores them together, at most `SETTLE_DELAY_MAX_MS` after they arrived. */
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
      // `finish` throws the failure, which `settling` keeps.
      cancelTimer ??= drain.clock.setTimeout(() => background(flush()), SETTLE_DELAY_MAX_MS);
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
  const dueTimes = waiting.flatMap((op) => {
    const before = precedingOps(op, ops);
    // Waits for the login.
    if (before.some(({ state }) => state === 'blocked_auth')) return [];
    if (before.length > 0) {
      return Math.max(now + LOCK_RETRY_MS, Math.min(...before.map(({ nextAttemptAt }) => nextAttemptAt)));
    }
    if (isSendable(op, now)) return now;
    return op.state === 'sending' ? op.leaseUntil : op.nextAttemptAt;
  });
  return dueTimes.length === 0 ? null : Math.max(0, Math.min(...dueTimes) - now);
}

/**
 * The ops that must have left the queue before `op` is sent: earlier ones about the same poll and, if `op` is repeated and
 * costs points, repeated ones that earn points.
 */
function precedingOps(op: Op, ops: readonly Op[]): Op[] {
  const isCostly = op.isRepeated === true && pointsOf(op).spent > 0;
  return ops.filter((other) => {
    if (needsDecision(other) || laneOf(other) === undefined) return false;
    if (other.entityId === op.entityId && other.seq < op.seq) return true;
    const mayStillEarn = other.isRepeated === true && other.attempts < EARNING_ATTEMPTS_MAX;
    return isCostly && mayStillEarn && pointsOf(other).earned > 0;
  });
}

function pointsOf(op: Op): { earned: number; spent: number } {
  return operationOf(op).points(op.payload);
}

/** Whether an op is due and nobody is sending it. */
function isSendable(op: Op, nowMs: number, goneOwners?: ReadonlySet<string>): boolean {
  if (op.state === 'queued') return isAttemptDue(op, nowMs);
  return op.state === 'sending' && !isLeaseLive(op, nowMs, goneOwners);
}

/**
 * Leases the first ops that are due, beginning after the op that has failed last. With the lock of the lane, a lease whose
 * owner is gone (after a reload or a crash) counts as expired. `epoch` is the known epoch of the server. Null when a
 * log out has emptied the database since the drain asked who is logged in.
 */
async function leaseDue(
  drain: Drain,
  hasLaneLock: boolean,
): Promise<{ ops: Op[]; epoch: string | undefined } | null> {
  const { db, clock, owner, lane, backoff, userId } = drain;
  const { behindSeq } = backoff[lane];
  const goneOwners = hasLaneLock ? await findGoneOwners(drain, await leasedOps(db, lane)) : undefined;
  return db.transaction('rw', db.ops, db.user, async () => {
    const now = clock.now();
    const user = await db.user.get(userId);
    if (user === undefined) return null;
    const ops = await db.ops.orderBy('seq').toArray();
    const due = ops.filter(
      (op) => laneOf(op) === lane && isSendable(op, now, goneOwners) && precedingOps(op, ops).length === 0,
    );
    const behind = due.filter((op) => op.seq > behindSeq);
    const before = due.filter((op) => op.seq <= behindSeq);
    // Not both: what waits for one of those behind would be delayed by the failed op again.
    const leased = (behind.length > 0 ? behind : before).slice(0, LEASED_MAX[lane]).map(
      (op): Op => ({
        ...op,
        state: 'sending',
        leaseOwner: owner,
        leaseUntil: now + LEASE_MS,
        ...(op.state === 'sending' && { wasTakenOver: true }),
        // Unknown for ops of the first release, which lack the field.
        ...(op.firstLeasedAt === null && { firstLeasedAt: isNeverSent(op) ? now : op.leaseUntil - LEASE_MS }),
      }),
    );
    await db.ops.bulkPut(leased);
    return { ops: leased, epoch: user.epoch };
  });
}
