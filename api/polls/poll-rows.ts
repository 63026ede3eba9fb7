import { and, eq, sql } from 'drizzle-orm';
import { builtOnce } from '#api/db/built-once.ts';
import type { Handle } from '#api/db/client.ts';
import { isOneOf } from '#api/db/columns.ts';
import { polls, pollTotals } from '#api/db/schema/polls.ts';
import { votes } from '#api/db/schema/votes.ts';
import { makers, type OwnVote, pollFields } from './poll-view.ts';

/** A poll with the vote of one viewer, and whether it has expired by the database's clock. */
export type ViewedRow = NonNullable<Awaited<ReturnType<typeof findPoll>>>;

const viewedPoll = builtOnce((orm) =>
  orm
    .select({
      ...pollFields,
      vote: { option: votes.option, changes: votes.changes },
      isOver: sql<boolean>`${polls.closesAt} <= now()`,
    })
    .from(polls)
    .leftJoin(makers, eq(makers.id, polls.userId))
    .leftJoin(votes, and(eq(votes.pollId, polls.id), eq(votes.userId, sql.placeholder('viewerId'))))
    .where(eq(polls.id, sql.placeholder('pollId')))
    .prepare('viewed poll'),
);

/** The poll with the vote of `viewerId`, or null. */
export async function findPoll(handle: Handle, pollId: string, viewerId: number) {
  const [row] = await viewedPoll(handle).execute({ pollId, viewerId });
  return row ?? null;
}

/** The votes of `viewerId` on these polls, by poll id. */
export async function findVotes(
  { orm }: Handle,
  viewerId: number,
  pollIds: readonly string[],
): Promise<Map<string, OwnVote>> {
  if (pollIds.length === 0) return new Map();
  const rows = await orm
    .select({ pollId: votes.pollId, option: votes.option, changes: votes.changes })
    .from(votes)
    .where(and(eq(votes.userId, viewerId), isOneOf(votes.pollId, pollIds)));
  return new Map(rows.map(({ pollId, ...vote }) => [pollId, vote]));
}

/**
 * Changes the numbers of all and of active polls. All writers share this row, so call it as late as possible in a transaction;
 * afterwards lock no row that another transaction may hold while it waits for this one.
 */
export async function addToTotals({ orm }: Handle, change: { active: number; total: number }): Promise<void> {
  await orm.update(pollTotals).set({
    active: sql`${pollTotals.active} + ${change.active}`,
    total: sql`${pollTotals.total} + ${change.total}`,
  });
}
