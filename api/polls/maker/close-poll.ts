import type { Handle } from '#api/db/client.ts';
import type { AppDeps } from '#api/deps.ts';
import { requireUserRow, toOwnUser } from '#api/http/session/session-user.ts';
import { pollVotes, userChanged } from '#api/live/live-events.ts';
import { isClosed, type PollCall, type PollInput, performPollCall } from '#api/polls/poll-call.ts';
import { type PollRow, pollColumns, toPoll } from '#api/polls/poll-view.ts';
import type { ClosePollResponse } from '#shared/polls/schema.ts';

/**
 * Closes a poll of the user early, and refunds what was paid for the unused responses in one ledger entry. A poll that has cost
 * nothing is not refunded. Throws `not_yours`, `poll_closed` or `not_found`, and what `performPollCall` throws.
 */
export async function closePoll(
  deps: Pick<AppDeps, 'db' | 'voteWriter' | 'shareLinks' | 'limits' | 'live'>,
  input: PollInput,
): Promise<ClosePollResponse> {
  const result = await performPollCall(deps, closing, input);
  return { ...result, refunded: await readRefund(deps.db, input) };
}

/**
 * Handwritten SQL: one statement writes poll, points, ledger entry and receipt, and its conditions are the rules. It locks the
 * poll and then the user, as a vote does. Votes that wait for the lock on the poll then find it closed, and are not counted.
 */
const closing: PollCall<PollInput> = {
  route: 'close',
  attemptLimit: ({ closings }) => closings,
  fingerprintParts: () => [],
  async write({ db, shareLinks }, { user, pollId }, receipt) {
    const { sql } = db;
    const key = receipt?.key ?? null;
    const [row] = await sql<[PollRow?]>`
      with target as (
        select id, responses_wanted as wanted, responses_wanted - votes1 - votes2 as unused from polls
        where id = ${pollId} and user_id = ${user.id} and active and closed_at is null and closes_at > now()
          and votes1 + votes2 < responses_wanted
          and not exists (select from mutation_receipts where user_id = ${user.id} and key = ${key}::uuid)
          and exists (select from server_state where epoch = ${user.epoch}::uuid)
        for no key update
      ), closed as (
        update polls set closed_at = now(), closes_at = now(), rev = rev + 1
        from target where polls.id = target.id returning polls.*
      ), refund as (
        insert into point_entries (user_id, delta, reason, source)
        select user_id, -delta::bigint * unused / wanted, 'refund', 'refund:' || target.id
        from target join point_entries on user_id = ${user.id} and source = 'poll:' || target.id
        on conflict (user_id, source) do nothing returning user_id, delta
      ), credit as (
        update users set points = points + refund.delta, rev = rev + 1 from refund where users.id = refund.user_id
      ), receipt as (
        insert into mutation_receipts (user_id, key, route, fingerprint, status, entity_id)
        select ${user.id}, ${key}::uuid, 'close', ${receipt?.fingerprint ?? ''}, 200, id from closed
        where ${key}::uuid is not null
      )
      select ${pollColumns(db)} from closed polls left join users makers on makers.id = polls.user_id`;
    if (row === undefined) return null;
    const maker = await requireUserRow(db, user.id);
    return { poll: toPoll(shareLinks, row, maker, null, Date.now()), user: toOwnUser(maker) };
  },
  writeLimits: () => [],
  // Closing it again with another key is refused with `poll_closed`.
  isDone: async () => false,
  refusal(poll, { user }) {
    if (poll.userId !== user.id) return 'not_yours';
    return isClosed(poll) ? 'poll_closed' : null;
  },
  events: ({ poll, user }) => [pollVotes(poll), userChanged(user.id, user)],
};

async function readRefund({ sql }: Handle, { user, pollId }: PollInput): Promise<number> {
  const [row] = await sql<[{ delta: number }?]>`
    select delta from point_entries where user_id = ${user.id} and source = 'refund:' || ${pollId}::uuid`;
  return row?.delta ?? 0;
}
