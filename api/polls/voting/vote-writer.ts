import { type Batcher, createBatcher } from '#api/db/batcher.ts';
import type { Database, Handle } from '#api/db/client.ts';
import { isConnectionLost, isLockTimeout } from '#api/db/database-error.ts';
import type { Receipt } from '#api/http/receipts.ts';
import { type UserRow, userColumns } from '#api/http/session/session-user.ts';
import { type PollRow, pollColumns } from '#api/polls/poll-view.ts';
import { VOTE_POINTS } from '#shared/points/constants.ts';
import type { Option } from '#shared/polls/schema.ts';

const VOTES_OF_STATEMENT_MAX = 200;
/** While the database executes a statement, the next one is in flight. */
const STATEMENTS_MAX = 2;

/** A vote to be written, with the receipt of its key, if it has one. */
type NewVote = {
  user: UserRow;
  pollId: string;
  option: Option;
  receipt: Pick<Receipt, 'key' | 'fingerprint'> | null;
};

/**
 * The poll and the voter after a vote; `viewer` is null when the vote earned no point, because the ledger has its entry already.
 * Null when nothing was written for the vote.
 */
type VoteResult = { poll: PollRow; viewer: UserRow | null } | null;

/** Called after the commit with the id of a maker for whom the votes have written a notification. */
type OnNotified = (userId: number) => void;

/** Writes votes; see `createVoteWriter`. */
export type VoteWriter = Batcher<NewVote, VoteResult>;

/**
 * Writes concurrent votes together: a statement and its commit cost about as much for two hundred votes as for one. When the
 * statement fails, each vote is written separately, so that a failing vote does not affect the others. There are two exceptions:
 * if the connection was lost, all votes fail, since they may have been written; if the statement has waited too long for a lock,
 * votes on polls that are still locked fail at once, since each would wait as long again, with a connection of the pool.
 */
export function createVoteWriter(db: Database, onNotified: OnNotified = () => {}): VoteWriter {
  const write = async (votes: readonly NewVote[]) => {
    try {
      return await db.dedicated.votes((handle) => writeVotes(handle, votes, onNotified));
    } catch (error) {
      if (votes.length === 1 || isConnectionLost(error)) throw error;
      const locked = isLockTimeout(error) ? await findLockedPolls(db, votes) : new Set();
      return votes.map(async (vote) => {
        if (locked.has(vote.pollId)) throw error;
        return (await writeVotes(db, [vote], onNotified))[0] ?? null;
      });
    }
  };
  return createBatcher(write, { size: VOTES_OF_STATEMENT_MAX, concurrent: STATEMENTS_MAX });
}

/** The ids of those polls that other transactions, which may be other votes, have locked at this moment. */
async function findLockedPolls({ sql }: Handle, votes: readonly NewVote[]): Promise<Set<string>> {
  const pollIds = `{${votes.map((vote) => vote.pollId).join()}}`;
  const locked = await sql<{ id: string }[]>`
    with free as (
      select id from polls where id = any(${pollIds}::uuid[]) order by id for no key update skip locked
    )
    select id from polls where id = any(${pollIds}::uuid[]) and id not in (select id from free)`;
  return new Set(locked.map(({ id }) => id));
}

/**
 * The row that the statement returns; an empty list is null. The lists are separate and in JSON: a join in the statement would
 * compare each row of one list with each row of the others.
 */
type StatementResult = {
  /** The votes that were written; `nth` counts from 1. */
  written: { nth: number; pollId: string; userId: number }[] | null;
  polls: PollRow[] | null;
  viewers: UserRow[] | null;
  /** The polls about which a notification was written. */
  notified: string[] | null;
};

/**
 * Writes the votes that the rules allow, and returns the results in the order of `votes`.
 *
 * Handwritten SQL: one statement writes votes, tallies, points, ledger entries, receipts and notifications, and its conditions
 * are the rules. It locks the polls and then the voters, each in the order of their ids, so that no two statements deadlock.
 * Statements with votes on the same poll wait for each other, and each sees the tallies that the previous one left.
 *
 * Each free place of a poll is given to one vote. If that vote turns out to exist already, its place remains free, and a vote
 * that was left out because of it is written when its caller retries.
 *
 * A first vote by a user whom the maker has blocked causes no notification.
 */
async function writeVotes(
  handle: Handle,
  votes: readonly NewVote[],
  onNotified: OnNotified,
): Promise<VoteResult[]> {
  const { sql } = handle;
  // The text of an array, since the driver knows no array types.
  const list = (values: readonly (string | number | null)[]) =>
    `{${values.map((value) => value ?? 'null').join()}}`;
  const pollIds = list(votes.map((vote) => vote.pollId));
  const [result] = await sql<[StatementResult]>`
    with call as (
      select * from unnest(
        ${pollIds}::uuid[],
        ${list(votes.map((vote) => vote.user.id))}::int[],
        ${list(votes.map((vote) => vote.option))}::smallint[],
        ${list(votes.map((vote) => vote.receipt?.key ?? null))}::uuid[],
        ${list(votes.map((vote) => vote.receipt?.fingerprint ?? null))}::text[],
        ${list(votes.map((vote) => vote.user.epoch))}::uuid[]
      ) with ordinality as call (poll_id, user_id, option, key, fingerprint, epoch, nth)
    ), target as (
      select id, user_id as maker_id, responses_wanted - votes1 - votes2 as places from polls
      where id = any(${pollIds}::uuid[]) and active and closed_at is null and closes_at > now()
        and votes1 + votes2 < responses_wanted
      order by id for no key update
    ), candidate as (
      select distinct on (poll_id, user_id) call.*, target.places
      from call join target on target.id = call.poll_id
      where target.maker_id is distinct from call.user_id
        and not exists (select from mutation_receipts where user_id = call.user_id and key = call.key)
        and not exists (select from votes where poll_id = call.poll_id and user_id = call.user_id)
        and exists (select from server_state where epoch = call.epoch)
      order by poll_id, user_id, nth
    ), admitted as (
      select * from (
        select *, row_number() over (partition by poll_id order by nth) as place from candidate
      ) ranked where place <= places
    ), cast_vote as (
      insert into votes (poll_id, user_id, option) select poll_id, user_id, option from admitted
      on conflict (poll_id, user_id) do nothing returning poll_id, user_id
    ), written as (
      select admitted.* from admitted join cast_vote using (poll_id, user_id)
    ), tally as (
      update polls set rev = polls.rev + added.votes1 + added.votes2,
        votes1 = polls.votes1 + added.votes1, votes2 = polls.votes2 + added.votes2
      from (
        select poll_id, count(*) filter (where option = 1) as votes1, count(*) filter (where option = 2) as votes2
        from written group by poll_id
      ) added
      where polls.id = added.poll_id returning polls.*, added.votes1 + added.votes2 as added
    ), notified as (
      insert into notifications (user_id, kind, poll_id)
      select tally.user_id, crossed.kind, tally.id
      from tally cross join lateral (
        values ('first_vote', 1), ('halfway', (responses_wanted + 1) / 2), ('completed', responses_wanted)
      ) crossed (kind, at)
      where votes1 + votes2 >= at and votes1 + votes2 - added < at
        and tally.user_id is not null and not tally.is_sample
        and (kind <> 'first_vote' or exists (
          select from written where written.poll_id = tally.id and not exists (
            select from user_blocks where user_blocks.user_id = tally.user_id and blocked_id = written.user_id
          )
        ))
      order by tally.id, at
      on conflict do nothing returning poll_id
    ), entry as (
      insert into point_entries (user_id, delta, reason, source)
      select user_id, ${VOTE_POINTS}, 'vote', 'vote:' || poll_id from written
      on conflict (user_id, source) do nothing returning user_id
    ), earned as (
      select users.id, votes
      from users join (select user_id, count(*) as votes from entry group by user_id) entries on user_id = users.id
      order by users.id for no key update of users
    ), credit as (
      update users set points = points + votes * ${VOTE_POINTS}, rev = rev + votes
      from earned where users.id = earned.id returning users.*
    ), receipt as (
      insert into mutation_receipts (user_id, key, route, fingerprint, status, entity_id)
      select user_id, key, 'vote', fingerprint, 200, poll_id from written where key is not null
    )
    select (select json_agg(written) from (
        select nth, poll_id as "pollId", user_id as "userId" from written
      ) written) as written,
      (select json_agg(poll) from (
        select ${pollColumns(handle)} from tally polls left join users makers on makers.id = polls.user_id
      ) poll) as polls,
      (select json_agg(viewer) from (select ${userColumns(handle)} from credit users) viewer) as viewers,
      (select json_agg(poll_id) from notified) as notified`;
  const polls = new Map(result.polls?.map((poll) => [poll.id, poll]));
  const viewers = new Map(result.viewers?.map((viewer) => [viewer.id, viewer]));
  const notifiedMakers = new Set(result.notified?.map((pollId) => polls.get(pollId)?.userId ?? null));
  const results: VoteResult[] = votes.map(() => null);
  for (const { nth, pollId, userId } of result.written ?? []) {
    const poll = polls.get(pollId);
    if (poll !== undefined) results[nth - 1] = { poll, viewer: viewers.get(userId) ?? null };
  }
  for (const makerId of notifiedMakers) if (makerId !== null) onNotified(makerId);
  return results;
}
