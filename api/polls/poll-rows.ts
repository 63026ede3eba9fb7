import type { Handle } from '#api/db/client.ts';
import { type OwnVote, type PollRow, pollColumns } from './poll-view.ts';

/** A poll with the vote of one viewer, and whether its end has passed by the database's clock. */
export type ViewedRow = PollRow & { vote: OwnVote | null; isOver: boolean };

/** UUIDs as an array literal: text, because the driver knows no array types on the embedded database. */
export function uuidArray(ids: readonly string[]): string {
  return `{${ids.join(',')}}`;
}

/** The poll with the vote of `viewerId`, or null when there is none of this id (a UUID). */
export async function findPoll(handle: Handle, pollId: string, viewerId: number): Promise<ViewedRow | null> {
  const [row] = await handle.sql<[ViewedRow?]>`
    select ${pollColumns(handle)}, case when votes.id is not null
      then json_build_object('option', votes.option, 'changes', votes.changes) end as vote, polls.closes_at <= now() as "isOver"
    from polls
    left join users makers on makers.id = polls.user_id
    left join votes on votes.poll_id = polls.id and votes.user_id = ${viewerId}
    where polls.id = ${pollId}`;
  return row ?? null;
}

/** What `viewerId` voted on these polls, by poll id; polls without a vote of theirs are left out. */
export async function findVotes(
  handle: Handle,
  viewerId: number,
  pollIds: readonly string[],
): Promise<Map<string, OwnVote>> {
  if (pollIds.length === 0) return new Map();
  const rows = await handle.sql<(OwnVote & { pollId: string })[]>`
    select poll_id as "pollId", option, changes from votes
    where user_id = ${viewerId} and poll_id = any(${uuidArray(pollIds)}::uuid[])`;
  return new Map(rows.map(({ pollId, ...vote }) => [pollId, vote]));
}

/**
 * Changes how many polls there are, and how many of them are active. As late in a transaction as can be: the row is
 * everyone's. After it only rows that nobody holds who may want this one.
 */
export async function addToTotals(handle: Handle, change: { active: number; total: number }): Promise<void> {
  await handle.sql`
    update poll_totals set active = active + ${change.active}, total = total + ${change.total} where id = 1`;
}
