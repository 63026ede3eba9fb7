import type { Database, Handle } from '#api/db/client.ts';
import type { Deps } from '#api/deps.ts';
import { AppError } from '#api/errors.ts';
import { countAttempt, withAttempt } from '#api/http/limits/attempts.ts';
import {
  asInFlight,
  findOutcome,
  fingerprintOf,
  type Outcome,
  type Receipt,
  settleOutcome,
} from '#api/http/receipts.ts';
import {
  requireSameEpoch,
  requireUserRow,
  toOwnUser,
  type UserRow,
  userColumns,
} from '#api/http/session/session-user.ts';
import { pollVotes, userPoints } from '#api/live/live-events.ts';
import { ERROR_STATUS, type ErrorCode } from '#shared/errors.ts';
import { VOTE_POINTS } from '#shared/points/constants.ts';
import type { MutationAnswer, Option } from '#shared/polls/schema.ts';
import { findPoll } from './poll-rows.ts';
import { type PollRow, pollColumns, statusOfRow, toPoll } from './poll-view.ts';
import { isVoteCast } from './queries.ts';

type Vote = {
  user: UserRow;
  pollId: string;
  option: Option;
  /** The Idempotency-Key, when there is one. */
  key: string | null;
};

const TRIES_MAX = 3;

/**
 * Votes, once a user and poll: vote, tally, point, ledger entry and receipt are one statement, whose guards are
 * the rules. The same vote again answers as if it were the first, and does not count against the limit. Throws
 * `already_voted`, `not_found`, `own_poll` or `poll_closed`, each kept in the receipt, and `key_reused`, `in_flight`,
 * `rate_limited` or `actor_mismatch`.
 */
export async function castVote(
  { db, limits, live }: Pick<Deps, 'db' | 'limits' | 'live'>,
  vote: Vote,
): Promise<MutationAnswer> {
  const receipt: Receipt | null = vote.key === null ? null : toReceipt(vote, vote.key);
  const attempt = await countAttempt([limits.votes], vote.user.id);
  if (attempt.refusal !== null) {
    const repeated = await findRepeated(db, vote, receipt);
    if (repeated === null) throw attempt.refusal;
    return answerVote(db, vote, repeated);
  }
  return withAttempt(attempt, async () => {
    for (let tries = 1; ; tries += 1) {
      const cast = await tryVote(db, vote, receipt);
      if (cast !== null) {
        if (cast.poll !== null) live.publish(pollVotes(cast.poll));
        live.publish(userPoints(vote.user.id, cast.user));
        return cast;
      }
      await requireSameEpoch(db, vote.user);
      const outcome = (await findOutcome(db, receipt)) ?? (await judgeVote(db, vote, receipt));
      if (outcome?.isReplay) await attempt.giveBack();
      if (outcome !== null) return answerVote(db, vote, outcome);
      // What stood in the way is gone since. Somebody activates and deactivates in a hurry.
      if (tries === TRIES_MAX) throw new AppError('in_flight', { retryAfterSeconds: 1 });
    }
  });
}

function toReceipt({ user, pollId, option }: Vote, key: string): Receipt {
  const entityId = pollId.toLowerCase();
  return {
    userId: user.id,
    key,
    route: 'vote',
    fingerprint: fingerprintOf([entityId, option]),
    entityId,
    isDone: (handle) => isVoteCast(handle, { userId: user.id, pollId, option }),
  };
}

/** What became of this vote before, when it is a repetition; else null. */
async function findRepeated(handle: Handle, vote: Vote, receipt: Receipt | null): Promise<Outcome | null> {
  await requireSameEpoch(handle, vote.user);
  const stored = await findOutcome(handle, receipt);
  if (stored !== null) return stored;
  const { user, pollId, option } = vote;
  const isCast = await isVoteCast(handle, { userId: user.id, pollId, option });
  return isCast ? settleOutcome(handle, receipt, doneBefore(pollId)) : null;
}

const doneBefore = (pollId: string): Outcome => ({
  status: 200,
  code: null,
  entityId: pollId,
  isReplay: true,
});

/**
 * The vote, if nothing stands in its way; else null, and nothing has changed. Locking the poll first makes
 * voters of one poll queue up, so that each sees the tallies that the one before left.
 */
async function tryVote(db: Database, vote: Vote, receipt: Receipt | null): Promise<MutationAnswer | null> {
  const { sql } = db;
  const { user, pollId, option } = vote;
  const key = receipt?.key ?? null;
  try {
    const [row] = await sql<[(PollRow & { viewer: UserRow | null })?]>`
      with target as (
        select id from polls
        where id = ${pollId} and active and closes_at > now() and votes1 + votes2 < responses_wanted
          and user_id is distinct from ${user.id}
          and not exists (select from mutation_receipts where user_id = ${user.id} and key = ${key}::uuid)
          and exists (select from server_state where epoch = ${user.epoch}::uuid)
        for no key update
      ), cast_vote as (
        insert into votes (poll_id, user_id, option) select id, ${user.id}, ${option} from target
        on conflict (poll_id, user_id) do nothing returning poll_id
      ), tally as (
        update polls set rev = rev + 1,
          votes1 = votes1 + ${option === 1 ? 1 : 0}, votes2 = votes2 + ${option === 2 ? 1 : 0}
        from cast_vote where polls.id = cast_vote.poll_id returning polls.*
      ), entry as (
        insert into point_entries (user_id, delta, reason, source)
        select ${user.id}, ${VOTE_POINTS}, 'vote', 'vote:' || poll_id from cast_vote
        on conflict (user_id, source) do nothing returning user_id
      ), credit as (
        update users set points = points + ${VOTE_POINTS}, rev = rev + 1
        from entry where users.id = entry.user_id returning users.*
      ), receipt as (
        insert into mutation_receipts (user_id, key, route, fingerprint, status, entity_id)
        select ${user.id}, ${key}::uuid, 'vote', ${receipt?.fingerprint ?? ''}, 200, poll_id from cast_vote
        where ${key}::uuid is not null
      )
      select ${pollColumns(db)}, (
        select row_to_json(viewer) from (select ${userColumns(db)} from credit users) viewer
      ) as viewer
      from tally polls left join users makers on makers.id = polls.user_id`;
    if (row === undefined) return null;
    const viewer = row.viewer ?? (await requireUserRow(db, user.id));
    return { poll: toPoll(row, viewer, option, Date.now()), user: toOwnUser(viewer) };
  } catch (error) {
    // The same key came in another request at the same moment: its outcome counts.
    if (isTakenKey(error)) return null;
    throw receipt === null ? error : asInFlight(error);
  }
}

/** Why the vote was not taken, or null when nothing stands in its way any more. */
async function judgeVote(handle: Handle, vote: Vote, receipt: Receipt | null): Promise<Outcome | null> {
  const { user, pollId, option } = vote;
  const poll = await findPoll(handle, pollId, user.id);
  const settle = (outcome: Outcome) => settleOutcome(handle, receipt, outcome);
  const refuse = (code: ErrorCode) =>
    settle({ status: ERROR_STATUS[code], code, entityId: pollId, isReplay: false });

  if (poll === null) {
    const wasCast = await isVoteCast(handle, { userId: user.id, pollId, option });
    return wasCast ? settle(doneBefore(pollId)) : refuse('not_found');
  }
  if (poll.vote === option) return settle(doneBefore(pollId));
  if (poll.vote !== null) return refuse('already_voted');
  if (poll.userId === user.id) return refuse('own_poll');
  const isFull = poll.votes1 + poll.votes2 >= poll.responsesWanted;
  if (!poll.active || poll.isOver || isFull) return refuse('poll_closed');
  return null;
}

async function answerVote(handle: Handle, vote: Vote, outcome: Outcome): Promise<MutationAnswer> {
  const poll = await findPoll(handle, vote.pollId, vote.user.id);
  if (outcome.code !== null) throw refusalOf(outcome.code, poll);
  const viewer = await requireUserRow(handle, vote.user.id);
  return {
    poll: poll === null ? null : toPoll(poll, viewer, poll.vote, Date.now()),
    user: toOwnUser(viewer),
  };
}

function refusalOf(code: NonNullable<Outcome['code']>, poll: PollRow | null): AppError {
  if (code === 'not_found') return new AppError(code, { message: 'This poll is gone.' });
  if (code !== 'poll_closed' || poll === null) return new AppError(code);
  const reasons = {
    inactive: 'This poll is inactive.',
    expired: 'This poll has expired.',
    completed: 'This poll has all the votes it asked for.',
    active: 'This poll was closed.',
  };
  return new AppError(code, { message: reasons[statusOfRow(poll, Date.now())] });
}

function isTakenKey(error: unknown): boolean {
  return (
    error instanceof Error && 'constraint_name' in error && error.constraint_name === 'mutation_receipts_key'
  );
}
