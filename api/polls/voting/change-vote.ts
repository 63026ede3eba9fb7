import { requireUserRow, toOwnUser } from '#api/http/session/session-user.ts';
import { pollVotes } from '#api/live/live-events.ts';
import { isClosed, type VoteCall } from '#api/polls/poll-call.ts';
import { findVotes } from '#api/polls/poll-rows.ts';
import { type PollRow, pollColumns, toPoll } from '#api/polls/poll-view.ts';
import { VOTE_CHANGES_MAX } from '#shared/polls/constants.ts';

/**
 * Moves a vote to the other option while the poll is open, and earns no points. It is refused with `not_voted`, `poll_closed` or
 * `change_limit`.
 *
 * Handwritten SQL: one statement writes vote, tally and receipt, and its conditions are the rules. It takes its locks in the same
 * order as a vote.
 */
export const changeVote: VoteCall = {
  route: 'change_vote',
  attemptLimit: ({ votes }) => votes,
  fingerprintParts: ({ option }) => [option],
  async write({ db, shareLinks }, { user, pollId, option }, receipt) {
    const { sql } = db;
    const key = receipt?.key ?? null;
    const [row] = await sql<[(PollRow & { changes: number })?]>`
      with target as (
        select id from polls
        where id = ${pollId} and active and closed_at is null and closes_at > now()
          and votes1 + votes2 < responses_wanted
          and not exists (select from mutation_receipts where user_id = ${user.id} and key = ${key}::uuid)
          and exists (select from server_state where epoch = ${user.epoch}::uuid)
        for no key update
      ), changed as (
        update votes set option = ${option}, changes = changes + 1
        from target
        where poll_id = target.id and user_id = ${user.id} and option <> ${option}
          and changes < ${VOTE_CHANGES_MAX}
        returning poll_id, changes
      ), tally as (
        update polls set rev = rev + 1,
          votes1 = votes1 + ${option === 1 ? 1 : -1}, votes2 = votes2 + ${option === 2 ? 1 : -1}
        from changed where polls.id = changed.poll_id returning polls.*, changed.changes
      ), receipt as (
        insert into mutation_receipts (user_id, key, route, fingerprint, status, entity_id)
        select ${user.id}, ${key}::uuid, 'change_vote', ${receipt?.fingerprint ?? ''}, 200, poll_id from changed
        where ${key}::uuid is not null
      )
      select ${pollColumns(db)}, polls.changes
      from tally polls left join users makers on makers.id = polls.user_id`;
    if (row === undefined) return null;
    const { changes, ...poll } = row;
    const viewer = await requireUserRow(db, user.id);
    return {
      poll: toPoll(shareLinks, poll, viewer, { option, changes }, Date.now()),
      user: toOwnUser(viewer),
    };
  },
  writeLimits: () => [],
  async isDone(handle, { user, pollId, option }) {
    const [vote] = (await findVotes(handle, user.id, [pollId])).values();
    return vote?.option === option;
  },
  refusal(poll) {
    if (poll.vote === null) return 'not_voted';
    if (isClosed(poll)) return 'poll_closed';
    return poll.vote.changes >= VOTE_CHANGES_MAX ? 'change_limit' : null;
  },
  events: ({ poll }) => [pollVotes(poll)],
};
