import { requireUserRow, toOwnUser, type UserRow, userColumns } from '#api/http/session/session-user.ts';
import { pollVotes, userPoints } from '#api/live/live-events.ts';
import { VOTE_POINTS } from '#shared/points/constants.ts';
import { type PollRow, pollColumns, toPoll } from './poll-view.ts';
import { isVoteCast } from './queries.ts';
import { isClosed, type VoteCall } from './vote-call.ts';

/**
 * Votes, once a user and poll. Refused with `already_voted`, `own_poll` or `poll_closed`.
 *
 * SQL by hand: vote, tally, point, ledger entry and receipt are one statement, whose guards are the rules. Locking the poll
 * first makes voters of one poll queue up, so that each sees the tallies that the one before left.
 */
export const castVote: VoteCall = {
  route: 'vote',
  async write(db, { user, pollId, option }, receipt) {
    const { sql } = db;
    const key = receipt?.key ?? null;
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
    const vote = { option, changes: 0 };
    return { poll: toPoll(row, viewer, vote, Date.now()), user: toOwnUser(viewer) };
  },
  isDone: (handle, { user, pollId, option }) => isVoteCast(handle, { userId: user.id, pollId, option }),
  refusal(poll, { user }) {
    if (poll.vote !== null) return 'already_voted';
    if (poll.userId === user.id) return 'own_poll';
    return isClosed(poll) ? 'poll_closed' : null;
  },
  events: ({ poll, user }, input) => [pollVotes(poll), userPoints(input.user.id, user)],
};
