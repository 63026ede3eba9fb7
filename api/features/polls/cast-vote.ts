import type { Database, Handle } from '#api/db/client.ts';
import type { Deps } from '#api/deps.ts';
import { AppError } from '#api/errors.ts';
import { pollVotes, userPoints } from '#api/services/live-events.ts';
import { findPoll } from '#api/services/poll-rows.ts';
import { type PollRow, pollColumns, statusOfRow, toPoll } from '#api/services/poll-view.ts';
import {
  asInFlight,
  findOutcome,
  fingerprintOf,
  type Outcome,
  type Receipt,
  settleOutcome,
} from '#api/services/receipts.ts';
import { requireUserRow, toOwnUser, type UserRow, userColumns } from '#api/services/user-view.ts';
import { VOTE_POINTS } from '#shared/points/constants.ts';
import type { MutationAnswer, Option } from '#shared/polls/schema.ts';

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
 * the rules. The same vote again answers as if it were the first. Throws `already_voted`, `not_found`, `own_poll`
 * or `poll_closed`, each kept in the receipt, and `key_reused` or `in_flight`.
 */
export async function castVote({ db, live }: Pick<Deps, 'db' | 'live'>, vote: Vote): Promise<MutationAnswer> {
  const receipt: Receipt | null = vote.key === null ? null : toReceipt(vote, vote.key);
  for (let attempt = 1; ; attempt += 1) {
    const cast = await tryVote(db, vote, receipt);
    if (cast !== null) {
      if (cast.poll !== null) live.publish(pollVotes(cast.poll));
      live.publish(userPoints(vote.user.id, cast.user));
      return cast;
    }
    const outcome = (await findOutcome(db, receipt)) ?? (await judgeVote(db, vote, receipt));
    if (outcome !== null) return answerVote(db, vote, outcome);
    // What stood in the way is gone since. Somebody activates and deactivates in a hurry.
    if (attempt === TRIES_MAX) throw new AppError('in_flight', { retryAfterSeconds: 1 });
  }
}

function toReceipt({ user, pollId, option }: Vote, key: string): Receipt {
  const fingerprint = fingerprintOf([pollId.toLowerCase(), option]);
  return { userId: user.id, key, route: 'vote', fingerprint };
}

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
  const settle = (code: Outcome['code'], status: number) =>
    settleOutcome(handle, receipt, { status, code, entityId: pollId });

  if (poll === null) return settle('not_found', 404);
  if (poll.vote === option) return settle(null, 200);
  if (poll.vote !== null) return settle('already_voted', 409);
  if (poll.userId === user.id) return settle('own_poll', 403);
  const isFull = poll.votes1 + poll.votes2 >= poll.responsesWanted;
  if (!poll.active || poll.isOver || isFull) return settle('poll_closed', 409);
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
