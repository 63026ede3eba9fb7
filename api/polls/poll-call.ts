import type { Handle } from '#api/db/client.ts';
import { findDatabaseError } from '#api/db/database-error.ts';
import type { AppDeps } from '#api/deps.ts';
import { AppError } from '#api/errors.ts';
import { type Attempt, countAttempt, withAttempt } from '#api/http/limits/attempts.ts';
import type { Limit, Limits } from '#api/http/limits/limits.ts';
import {
  findOutcome,
  fingerprintOf,
  type Outcome,
  type Receipt,
  settleOutcome,
  toInFlightError,
} from '#api/http/receipts.ts';
import { requireSameEpoch, requireUserRow, toOwnUser, type UserRow } from '#api/http/session/session-user.ts';
import type { LiveEvent } from '#api/live/live-events.ts';
import { ERROR_STATUS, type ErrorCode } from '#shared/errors.ts';
import type { MutationResponse, Option, Poll } from '#shared/polls/schema.ts';
import { findPollFor, type ViewedRow } from './poll-rows.ts';
import { type PollRow, statusOfRow, toPoll } from './poll-view.ts';

/** The input of a call that changes a poll. */
export type PollInput = {
  user: UserRow;
  pollId: string;
  /** The Idempotency-Key, if any. */
  key: string | null;
};

type VoteInput = PollInput & { option: Option };

type Written = MutationResponse & { poll: Poll };

type WriteDeps = Pick<AppDeps, 'db' | 'voteWriter' | 'shareLinks'>;

/** One kind of call that changes a poll. */
export type PollCall<Input extends PollInput> = {
  route: Receipt['route'];
  /** The limit that counts every attempt except repetitions. */
  attemptLimit(limits: Limits): Limit;
  /** What the receipt's fingerprint covers in addition to the poll. */
  fingerprintParts(input: Input): readonly number[];
  /**
   * Writes the change and its receipt in one statement. Null when nothing was written, because of a rule or of a concurrent
   * request.
   */
  write(deps: WriteDeps, input: Input, receipt: Receipt | null): Promise<Written | null>;
  /** Further limits for this user. Only changes that were written count against them. */
  writeLimits(limits: Limits, user: UserRow): readonly Limit[];
  /** Whether the requested change exists already, whatever the key. `poll` is null if it has not been read or does not exist. */
  isDone(handle: Handle, input: Input, poll: ViewedRow | null): Promise<boolean>;
  /** Why a change that does not exist yet is refused; null when nothing prevents it. */
  refusal(poll: ViewedRow, input: Input): ErrorCode | null;
  /** The live updates about the change. */
  events(written: Written, input: Input): LiveEvent[];
};

export type VoteCall = PollCall<VoteInput>;

const TRIES_MAX = 3;

/**
 * Carries out a call that changes a poll, once per key. A repetition gets the outcome of the first call, with the poll and the
 * user as they are now, and does not count against the limit. Throws the code of `refusal`, which the receipt keeps, and
 * `not_found`, `key_reused`, `in_flight`, `rate_limited`, the error of `writeLimits`, and the errors of `requireSameEpoch`.
 */
export async function performPollCall<Input extends PollInput>(
  deps: WriteDeps & Pick<AppDeps, 'limits' | 'live'>,
  call: PollCall<Input>,
  input: Input,
): Promise<MutationResponse> {
  const { db, limits, live } = deps;
  const receipt = input.key === null ? null : toReceipt(call, input, input.key);
  const attempt = await countAttempt([call.attemptLimit(limits)], input.user.id);
  if (attempt.refusal !== null) {
    const repeated = await findRepetition(db, call, input, receipt);
    if (repeated === null) throw attempt.refusal;
    return respondWith(deps, input, repeated);
  }
  return withAttempt(attempt, async () => {
    for (let tries = 1; ; tries += 1) {
      const allowance = await countAttempt(call.writeLimits(limits, input.user), input.user.id);
      const written = await writeWithin(allowance, receipt, () => call.write(deps, input, receipt));
      if (written !== null) {
        for (const event of call.events(written, input)) live.publish(event);
        return written;
      }
      await requireSameEpoch(db, input.user);
      const outcome = (await findOutcome(db, receipt)) ?? (await findObstacle(db, call, input, receipt));
      if (outcome?.isReplay) await attempt.undo();
      if (outcome !== null) return respondWith(deps, input, outcome);
      if (allowance.refusal !== null) throw allowance.refusal;
      // The obstacle no longer exists, so the change is retried. A second retry is only necessary if, for example, an
      // administrator keeps activating and deactivating the poll.
      if (tries === TRIES_MAX) throw new AppError('in_flight', { retryAfterSeconds: 1 });
    }
  });
}

/**
 * Runs `write` unless the allowance is used up. Null, with the count undone, when nothing was written: the allowance is used up,
 * `write` returned null, or a concurrent request has stored a receipt of the same key, whose outcome then applies. With a key, a
 * lock timeout becomes `in_flight`, since a concurrent request may hold the key.
 */
async function writeWithin(
  allowance: Attempt,
  receipt: Receipt | null,
  write: () => Promise<Written | null>,
): Promise<Written | null> {
  let written: Written | null = null;
  try {
    if (allowance.refusal === null) written = await write();
  } catch (error) {
    if (findDatabaseError(error).constraint !== 'mutation_receipts_key')
      throw receipt === null ? error : toInFlightError(error);
  } finally {
    if (written === null) await allowance.undo();
  }
  return written;
}

function toReceipt<Input extends PollInput>(call: PollCall<Input>, input: Input, key: string): Receipt {
  const { user, pollId } = input;
  return {
    userId: user.id,
    key,
    route: call.route,
    fingerprint: fingerprintOf([pollId, ...call.fingerprintParts(input)]),
    entityId: pollId,
    isDone: (handle) => call.isDone(handle, input, null),
  };
}

/** The outcome if this call is a repetition or its change exists already, under any key; else null. */
async function findRepetition<Input extends PollInput>(
  handle: Handle,
  call: PollCall<Input>,
  input: Input,
  receipt: Receipt | null,
): Promise<Outcome | null> {
  await requireSameEpoch(handle, input.user);
  const stored = await findOutcome(handle, receipt);
  if (stored !== null) return stored;
  if (!(await call.isDone(handle, input, null))) return null;
  return settleOutcome(handle, receipt, doneBefore(input.pollId));
}

const doneBefore = (pollId: string): Outcome => ({
  status: 200,
  code: null,
  entityId: pollId,
  isReplay: true,
});

/** The outcome of a change that was not written; null when nothing prevents the change any more. */
async function findObstacle<Input extends PollInput>(
  handle: Handle,
  call: PollCall<Input>,
  input: Input,
  receipt: Receipt | null,
): Promise<Outcome | null> {
  const { user, pollId } = input;
  const poll = await findPollFor(handle, pollId, user);
  if (await call.isDone(handle, input, poll)) return settleOutcome(handle, receipt, doneBefore(pollId));
  const code = poll === null ? 'not_found' : call.refusal(poll, input);
  if (code === null) return null;
  return settleOutcome(handle, receipt, {
    status: ERROR_STATUS[code],
    code,
    entityId: pollId,
    isReplay: false,
  });
}

async function respondWith(
  { db, shareLinks }: WriteDeps,
  input: PollInput,
  outcome: Outcome,
): Promise<MutationResponse> {
  const poll = await findPollFor(db, input.pollId, input.user);
  if (outcome.code !== null) throw errorOf(outcome.code, poll);
  const viewer = await requireUserRow(db, input.user.id);
  return {
    poll: poll === null ? null : toPoll(shareLinks, poll, viewer, poll.vote, Date.now()),
    user: toOwnUser(viewer),
  };
}

function errorOf(code: NonNullable<Outcome['code']>, poll: PollRow | null): AppError {
  if (code === 'not_found') return new AppError(code, { message: 'This poll is gone.' });
  if (code !== 'poll_closed' || poll === null) return new AppError(code);
  const reasons = {
    inactive: 'This poll is inactive.',
    expired: 'This poll has expired.',
    completed: 'This poll already has all the votes it asked for.',
    // Opened again since the refusal, or closed by the clock of the database but not yet by that of this process.
    active: 'This poll was closed.',
  };
  const status = statusOfRow(poll, Date.now());
  const isEarly = status === 'expired' && poll.closedAt !== null;
  return new AppError(code, { message: isEarly ? 'This poll was closed early.' : reasons[status] });
}

/** Whether a poll no longer takes votes. */
export function isClosed(poll: ViewedRow): boolean {
  return (
    !poll.active || poll.isOver || poll.closedAt !== null || poll.votes1 + poll.votes2 >= poll.responsesWanted
  );
}
