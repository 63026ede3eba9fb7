import { v4 as uuidv4 } from 'uuid';
import { BATCH_MAX_REQUESTS } from '#shared/batch.ts';
import { withFreedSpace } from '#sync/client/cache/storage.ts';
import { drainLockName } from '#sync/client/device/lock.ts';
import { hasPassed } from '#sync/client/has-passed.ts';
import {
  findGoneOwners,
  hasLeaseLeft,
  isLeaseLive,
  LEASE_MS,
  leasedOps,
  ownerLockName,
  releaseLeases,
  renewLeases,
} from '#sync/client/outbox/lease.ts';
import { isAttemptDue } from '#sync/client/outbox/retry.ts';
import { runInBackground } from '#sync/client/run-in-background.ts';
import { withDatabaseTimeout } from '#sync/client/timeout.ts';
import type { Lane } from '#sync/operations/operation.ts';
import { laneOf, type Op, operationOf } from '#sync/operations/registry.ts';
import { isNeverSent, needsDecision } from '#sync/protocol/op.ts';
import { RETRY_AFTER_MAX_MS } from '#sync/protocol/outcome.ts';
import type { Drain, DrainContext, LaneBackoff } from './drain-context.ts';
import { sendTogether } from './send.ts';
import { type NextStep, nextStep, type OpOutcome, settle } from './settle.ts';

/** The pause before the next drain of a lane if another tab drains it, an op waits for another, or the user is logging out. */
const RECHECK_PAUSE_MS = 500;

/**
 * After a restore, repeated polls wait for repeated votes, which earn points, but for at most this many attempts of each vote.
 */
const EARNING_ATTEMPTS_MAX = 5;

/** The most ops leased in one transaction. A transaction for each op would take longer than sending the op. */
const LEASED_MAX: Record<Lane, number> = { votes: 200, creations: 1 };
/** The most requests in flight; correctness does not depend on their order. */
const IN_FLIGHT_MAX = 3;
/**
 * Outcomes are stored together, at most this long after the first of them, because each write makes every open tab read its
 * lists again.
 */
const SETTLE_DELAY_MAX_MS = 1_500;

/**
 * Sends the due ops of one lane, lowest `seq` first, one creation or a few batches of votes at a time, until nothing is due,
 * the server cannot be reached, or the user is no longer logged in. Resolves with the milliseconds until the next drain of the
 * lane, or null if no op waits for one.
 *
 * A lock prevents tabs from draining a lane at the same time. Since the tab that holds it may be suspended, this drain goes on
 * without the lock if no op of the lane has a live lease. Throws `BrowserTimeoutError` if the database does not respond.
 */
export async function drainLane(context: DrainContext, lane: Lane): Promise<number | null> {
  const drain: Drain = { ...context, lane, owner: `${context.tabId}:${uuidv4()}` };
  const { lock, userId } = drain;
  let pauseMs = 0;
  const hasLock = await lock.run(drainLockName(userId, lane), async () => {
    pauseMs = await drainWithOwnerLock(drain, { hasLaneLock: true });
  });
  if (!hasLock) {
    pauseMs = (await hasLiveLease(drain))
      ? RECHECK_PAUSE_MS
      : await drainWithOwnerLock(drain, { hasLaneLock: false });
  }
  const waitMs = await withDatabaseTimeout(drain.clock, waitUntilDueMs(drain));
  return waitMs === null ? null : Math.max(waitMs, pauseMs);
}

/** Whether the drain holds the lock of its lane. If not, another tab holds it, and only expired leases can be taken over. */
type HeldLocks = { hasLaneLock: boolean };

/**
 * Drains while holding the lock that shows other tabs that the owner of the leases exists. Resolves with the milliseconds that
 * the lane must pause afterwards.
 */
async function drainWithOwnerLock(drain: Drain, locks: HeldLocks): Promise<number> {
  let pauseMs = 0;
  await drain.lock.run(ownerLockName(drain.owner), async () => {
    pauseMs = await sendDue(drain, locks);
  });
  return pauseMs;
}

/**
 * Leases and sends due ops until none is left or the lane must pause; resolves with the length of the pause in milliseconds.
 */
async function sendDue(drain: Drain, locks: HeldLocks): Promise<number> {
  for (;;) {
    const pauseMs = remainingPauseMs(drain);
    if (pauseMs > 0 || !(await withDatabaseTimeout(drain.clock, drain.isLoggedIn()))) return pauseMs;
    const leasing = withFreedSpace(drain.storage, drain.db, () => leaseDue(drain, locks));
    const leased = await withDatabaseTimeout(drain.clock, leasing);
    if (leased === null) return RECHECK_PAUSE_MS;
    const { ops, epoch } = leased;
    if (ops.length === 0) return 0;
    const step = await sendLeased(drain, ops, epoch);
    if (step === 'continue') continue;
    return step === 'blocked' ? 0 : step.pauseMs;
  }
}

/** The back-off of lanes without failures. */
export function noBackoff(): Record<Lane, LaneBackoff> {
  const none = { failures: 0, lastFailedSeq: 0, notBeforeMs: 0, authFailures: 0 };
  return { votes: none, creations: none };
}

async function hasLiveLease(drain: Drain): Promise<boolean> {
  const leased = await withDatabaseTimeout(drain.clock, leasedOps(drain.db, drain.lane));
  return leased.some((op) => isLeaseLive(op, drain.clock.now()));
}

/** The remaining milliseconds before the next request may be sent. */
function remainingPauseMs({ clock, backoff, lane }: Drain): number {
  const { notBeforeMs } = backoff[lane];
  return hasPassed(notBeforeMs, clock.now(), RETRY_AFTER_MAX_MS) ? 0 : notBeforeMs - clock.now();
}

/**
 * Sends leased ops, lowest `seq` first: the first op individually and, if the lane can continue, the others in batches. Ops
 * that were not sent return to the queue.
 */
async function sendLeased(drain: Drain, ops: readonly Op[], epoch: string | undefined): Promise<NextStep> {
  const stopRenewal = renewLeases(drain, ops);
  const settlement = createSettlement(drain);
  const rest = [...ops];
  let step: NextStep = 'continue';

  async function send(batch: readonly Op[]): Promise<void> {
    const outcomes = await sendTogether(drain, batch, epoch);
    for (const [index, op] of batch.entries()) {
      const outcome = outcomes[index] ?? null;
      if (outcome === null) continue;
      const opOutcome = { op, outcome, epoch };
      // If several ops of a request fail, only the first failure counts.
      if (step === 'continue') step = nextStep(drain, opOutcome);
      settlement.add(opOutcome);
    }
  }

  async function sendRest(): Promise<void> {
    try {
      while (step === 'continue' && rest.length > 0) await send(rest.splice(0, batchSize(rest)));
    } catch (error) {
      // The other senders finish their requests and start no more.
      rest.length = 0;
      throw error;
    }
  }

  try {
    await send(rest.splice(0, 1));
    const sending = await Promise.allSettled(Array.from({ length: IN_FLIGHT_MAX }, sendRest));
    const failed = sending.find((result) => result.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
    await withDatabaseTimeout(drain.clock, releaseLeases(drain, rest));
    await withDatabaseTimeout(drain.clock, settlement.finish());
  } finally {
    stopRenewal();
  }
  return step;
}

/**
 * How many of the next ops share a request. An op that has failed before is sent individually, so that it does not delay others
 * again.
 */
function batchSize(ops: readonly Op[]): number {
  const firstIndividual = ops.findIndex((op) => op.attempts > 0 || !operationOf(op).isBatchable);
  const batchable = firstIndividual === -1 ? ops.length : firstIndividual;
  return Math.min(Math.max(1, batchable), BATCH_MAX_REQUESTS);
}

/** Collects outcomes and stores them together, at most `SETTLE_DELAY_MAX_MS` after the first of them. */
function createSettlement(drain: Drain) {
  let outcomes: OpOutcome[] = [];
  let settling = Promise.resolve();
  let cancelTimer: (() => void) | null = null;

  function flush(): Promise<void> {
    cancelTimer?.();
    cancelTimer = null;
    const unsettled = outcomes;
    outcomes = [];
    if (unsettled.length > 0) settling = settling.then(() => settle(drain, unsettled));
    return settling;
  }

  return {
    add(opOutcome: OpOutcome) {
      outcomes.push(opOutcome);
      // If storing fails, `settling` remains rejected, and `finish` throws the error.
      cancelTimer ??= drain.clock.setTimeout(() => runInBackground(flush()), SETTLE_DELAY_MAX_MS);
    },
    finish: flush,
  };
}

/** The milliseconds until the next op of the lane is due; null if none waits for a drain. */
async function waitUntilDueMs(drain: Drain): Promise<number | null> {
  const { db, clock, lane } = drain;
  const now = clock.now();
  const ops = await db.ops.toArray();
  const waiting = ops.filter(
    (op) => laneOf(op) === lane && (op.state === 'queued' || op.state === 'sending'),
  );
  if (waiting.length === 0) return null;
  const dueTimes = waiting.flatMap((op) => {
    const preceding = precedingOps(op, ops, now);
    // The op waits until the user logs in.
    if (preceding.some(({ state }) => state === 'blocked_auth')) return [];
    if (preceding.length > 0) {
      return Math.max(
        now + RECHECK_PAUSE_MS,
        Math.min(...preceding.map(({ nextAttemptAt }) => nextAttemptAt)),
      );
    }
    if (isSendable(drain, op, now)) return now;
    // Either the attempt is not due yet, or a lease has not expired.
    return op.state === 'queued' && !isAttemptDue(op, now) ? op.nextAttemptAt : op.leaseUntil;
  });
  return dueTimes.length === 0 ? null : Math.max(0, Math.min(...dueTimes) - now);
}

/**
 * The ops that must be settled before `op` is sent: earlier ops with the same `entityId`, except that a report does not wait
 * for a postponed vote, nor a vote for a postponed report; and, if `op` is repeated and costs points, repeated ops that earn
 * points and have not failed too often.
 */
function precedingOps(op: Op, ops: readonly Op[], nowMs: number): Op[] {
  const isCostly = op.isRepeated === true && pointsOf(op).spent > 0;
  return ops.filter((other) => {
    if (needsDecision(other) || laneOf(other) === undefined) return false;
    if (other.entityId === op.entityId && other.seq < op.seq) {
      const isSameKind = operationOf(other).changesPolls === operationOf(op).changesPolls;
      // An op that waits for a postponed one must wait, too.
      const otherWaits = () => !isAttemptDue(other, nowMs) || precedingOps(other, ops, nowMs).length > 0;
      if (isSameKind || other.state === 'sending' || !otherWaits()) return true;
    }
    const mayStillEarn = other.isRepeated === true && other.attempts < EARNING_ATTEMPTS_MAX;
    return isCostly && mayStillEarn && pointsOf(other).earned > 0;
  });
}

function pointsOf(op: Op): { earned: number; spent: number } {
  return operationOf(op).points(op.payload);
}

/** Whether an op is due and no drain is sending it. */
function isSendable({ lock }: Drain, op: Op, nowMs: number, goneOwners?: ReadonlySet<string>): boolean {
  if (op.state === 'queued') {
    // The lease was revoked, but its owner may still be sending the op, and no shared lock would show it.
    const mayBeInFlight = !lock.spansTabs && op.leaseOwner !== null && hasLeaseLeft(op, nowMs);
    return isAttemptDue(op, nowMs) && !mayBeInFlight;
  }
  return op.state === 'sending' && !isLeaseLive(op, nowMs, goneOwners);
}

/**
 * Leases the first ops that are due, beginning after the op that failed last. With the lock of the lane, a lease whose owner is
 * gone (after a reload or a crash) counts as expired. Resolves with the ops and the known epoch of the server, or null if a
 * logout has emptied the database since the drain checked who is logged in.
 */
async function leaseDue(
  drain: Drain,
  { hasLaneLock }: HeldLocks,
): Promise<{ ops: Op[]; epoch: string | undefined } | null> {
  const { db, clock, owner, lane, backoff, userId } = drain;
  const { lastFailedSeq } = backoff[lane];
  const goneOwners = hasLaneLock ? await findGoneOwners(drain, await leasedOps(db, lane)) : undefined;
  return db.transaction('rw', db.ops, db.user, async () => {
    const now = clock.now();
    const user = await db.user.get(userId);
    if (user === undefined) return null;
    const ops = await db.ops.orderBy('seq').toArray();
    const due = ops.filter(
      (op) =>
        laneOf(op) === lane &&
        isSendable(drain, op, now, goneOwners) &&
        precedingOps(op, ops, now).length === 0,
    );
    const afterFailed = due.filter((op) => op.seq > lastFailedSeq);
    const upToFailed = due.filter((op) => op.seq <= lastFailedSeq);
    // The two groups are never leased together: ops that wait for an op of `afterFailed` must be sent before the failed op, which
    // would pause the lane if it failed again.
    const leased = (afterFailed.length > 0 ? afterFailed : upToFailed).slice(0, LEASED_MAX[lane]).map(
      (op): Op => ({
        ...op,
        state: 'sending',
        leaseOwner: owner,
        leaseUntil: now + LEASE_MS,
        ...(op.state === 'sending' && { wasTakenOver: true }),
        // Ops of the first release lack the field, and its tabs lease ops without setting it.
        ...(op.firstLeasedAt === null && { firstLeasedAt: isNeverSent(op) ? now : op.leaseUntil - LEASE_MS }),
      }),
    );
    await db.ops.bulkPut(leased);
    return { ops: leased, epoch: user.epoch };
  });
}
