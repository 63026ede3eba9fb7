import { and, eq, isNull, sql } from 'drizzle-orm';
import { type Batcher, createBatcher } from '#api/db/batcher.ts';
import type { Database, Handle } from '#api/db/client.ts';
import { arrayText, memoizedQuery } from '#api/db/columns.ts';
import { polls, pollTotals } from '#api/db/schema/polls.ts';
import { votes } from '#api/db/schema/votes.ts';
import { AppError } from '#api/errors.ts';
import type { UserRow } from '#api/http/session/session-user.ts';
import { isHiddenFor } from '#api/reports/queries.ts';
import { isAdmin } from '#shared/accounts/rules.ts';
import { existsFor, makers, type OwnVote, type PollViewer, pollFields } from './poll-view.ts';

const VOTE_READS_OF_BATCH_MAX = 100;

/** A poll that was not removed, with the vote of one viewer, and whether it has expired by the database's clock. */
export type ViewedRow = NonNullable<Awaited<ReturnType<typeof findPoll>>>;

const viewedPoll = memoizedQuery((orm) =>
  orm
    .select({
      ...pollFields,
      vote: { option: votes.option, changes: votes.changes },
      isOver: sql<boolean>`${polls.closesAt} <= now()`,
    })
    .from(polls)
    .leftJoin(makers, eq(makers.id, polls.userId))
    .leftJoin(votes, and(eq(votes.pollId, polls.id), eq(votes.userId, sql.placeholder('viewerId'))))
    .where(and(eq(polls.id, sql.placeholder('pollId')), isNull(polls.removedAt)))
    .prepare('viewed poll'),
);

/** The poll of this id as a `ViewedRow`, even if it is hidden or inactive; null if there is none. */
export async function findPoll(handle: Handle, pollId: string, viewerId: number) {
  const [row] = await viewedPoll(handle).execute({ pollId, viewerId });
  return row ?? null;
}

export const pollNotFound = () => new AppError('not_found', { message: 'Poll not found.' });

/** A poll that exists for `viewer`, or null. */
export async function findPollFor(
  handle: Handle,
  pollId: string,
  viewer: PollViewer,
): Promise<ViewedRow | null> {
  const poll = await findPoll(handle, pollId, viewer.id);
  return poll !== null && existsFor(poll, viewer) ? poll : null;
}

/**
 * Whether `viewer` may open a poll that exists for them. Its maker and administrators always may. Others may open it unless it is
 * inactive and they have not voted on it, or they have reported it or blocked its maker.
 */
export async function mayOpen(handle: Handle, poll: ViewedRow, viewer: UserRow): Promise<boolean> {
  if (poll.userId === viewer.id || isAdmin(viewer)) return true;
  if (!poll.active && poll.vote === null) return false;
  return !(viewer.hidesPolls && (await isHiddenFor(handle, viewer.id, poll.id)));
}

/** The votes of `viewerId` on these polls, by poll id. */
export async function findVotes(
  handle: Handle,
  viewerId: number,
  pollIds: readonly string[],
): Promise<Map<string, OwnVote>> {
  const [votes = new Map()] = await findVotesOfAll(handle, [{ viewerId, pollIds }]);
  return votes;
}

type VoteRead = { viewerId: number; pollIds: readonly string[] };

/** Reads the votes of a viewer on some polls, by poll id. */
export type VoteReader = Batcher<VoteRead, Map<string, OwnVote>>;

/** Creates a reader that reads the votes for concurrent requests in one query. */
export function createVoteReader(db: Database): VoteReader {
  return createBatcher((reads) => db.dedicated.reads((handle) => findVotesOfAll(handle, reads)), {
    size: VOTE_READS_OF_BATCH_MAX,
  });
}

const votesOfAll = memoizedQuery((orm) =>
  orm
    .select({ userId: votes.userId, pollId: votes.pollId, option: votes.option, changes: votes.changes })
    .from(votes)
    .where(
      and(
        sql`${votes.userId} = any(${sql.placeholder('viewerIds')}::int[])`,
        sql`${votes.pollId} = any(${sql.placeholder('pollIds')}::uuid[])`,
      ),
    )
    .prepare('votes of viewers'),
);

async function findVotesOfAll(handle: Handle, reads: readonly VoteRead[]): Promise<Map<string, OwnVote>[]> {
  const votesByViewer = new Map(reads.map(({ viewerId }) => [viewerId, new Map<string, OwnVote>()]));
  // Readers of the same cached page pass the same array, which is taken once.
  const pages = new Set(reads.map((read) => read.pollIds));
  const pollIds = [...new Set([...pages].flat())];
  if (pollIds.length > 0) {
    const rows = await votesOfAll(handle).execute({
      viewerIds: arrayText([...votesByViewer.keys()]),
      pollIds: arrayText(pollIds),
    });
    for (const { userId, pollId, option, changes } of rows) {
      if (userId !== null) votesByViewer.get(userId)?.set(pollId, { option, changes });
    }
  }
  return reads.map(({ viewerId }) => votesByViewer.get(viewerId) ?? new Map());
}

/**
 * Adds `change` to the numbers of polls with `active` set (open, completed or expired) and of all polls. Both are in one row,
 * which all writers share, so call this as late as possible in a transaction. To avoid deadlocks, lock no row afterwards that
 * another transaction may hold while it waits for the shared row.
 */
export async function addToTotals({ orm }: Handle, change: { active: number; total: number }): Promise<void> {
  await orm.update(pollTotals).set({
    active: sql`${pollTotals.active} + ${change.active}`,
    total: sql`${pollTotals.total} + ${change.total}`,
  });
}
