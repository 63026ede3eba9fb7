import { HOUR_MS } from '#shared/time.ts';
import { hasPassed } from '#sync/client/has-passed.ts';
import { type Op, operationOf } from '#sync/operations/registry.ts';
import { retryAfterMaxMs } from '#sync/protocol/outcome.ts';

const RETRY_BASE_MS = 1_000;
const RETRY_CAP_MS = 30_000;
/**
 * After this many failed uploads (refused by a gateway, or without a response for a long time; an outage does not count), the app
 * shows that the upload of a poll keeps failing, and retries it at intervals that grow from 30 s to an hour.
 */
const FAILED_UPLOADS_BEFORE_SLOWDOWN = 5;
/** The longest pause between uploads of a poll that keeps failing. */
const FAILING_UPLOAD_CAP_MS = HOUR_MS;

/**
 * The delay before the next attempt in milliseconds: exponential back-off with full jitter, or the server's `Retry-After` (see
 * `outcomeOf`) if that is longer. `attempts`: how many attempts have failed; `random`: a number from 0 (included) to 1
 * (excluded).
 */
export function retryDelayMs(attempts: number, retryAfterMs: number | null, random: number): number {
  const windowMs = Math.min(RETRY_CAP_MS, RETRY_BASE_MS * 2 ** Math.max(0, attempts - 1));
  return Math.max(Math.round(random * windowMs), retryAfterMs ?? 0);
}

/** Whether the upload of a poll has failed so often that the user is informed. */
export function keepsFailing({ failedUploads = 0 }: Pick<Op, 'failedUploads'>): boolean {
  return failedUploads >= FAILED_UPLOADS_BEFORE_SLOWDOWN;
}

/** Whether sending all changes now would leave this op waiting: for the limit of votes, or because its uploads keep failing. */
export function isPostponed(op: Op): boolean {
  return op.state === 'queued' && (op.lastError?.code === 'vote_limit' || keepsFailing(op));
}

/** The ops for which `mustWait` is true, and the ops about the same polls, which wait for them. */
export function postponedOps(waiting: readonly Op[], mustWait: (op: Op) => boolean): Op[] {
  // Votes and reports, which `changesPolls` tells apart, do not wait for each other.
  const subjectOf = (op: Op) => `${op.entityId} ${operationOf(op).changesPolls}`;
  const postponed = new Set(waiting.filter(mustWait).map(subjectOf));
  return waiting.filter((op) => postponed.has(subjectOf(op)));
}

/** The pause before the next upload of a poll that keeps failing: 30 s, doubled with each further failure, at most an hour. */
export function failingUploadDelayMs({ failedUploads = 0 }: Pick<Op, 'failedUploads'>): number {
  return Math.min(
    FAILING_UPLOAD_CAP_MS,
    RETRY_CAP_MS * 2 ** (failedUploads - FAILED_UPLOADS_BEFORE_SLOWDOWN),
  );
}

/** Whether the next attempt of a queued op is due. */
export function isAttemptDue(op: Op, nowMs: number): boolean {
  const longestWaitMs = keepsFailing(op) ? FAILING_UPLOAD_CAP_MS : retryAfterMaxMs(op.lastError);
  return hasPassed(op.nextAttemptAt, nowMs, longestWaitMs);
}
