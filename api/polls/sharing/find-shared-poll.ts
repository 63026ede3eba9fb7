import { and, eq, sql } from 'drizzle-orm';
import type { Handle } from '#api/db/client.ts';
import { polls } from '#api/db/schema/polls.ts';
import { votes } from '#api/db/schema/votes.ts';
import { ANYBODY, makers, type PollRow, type PollViewer, pollFields, toPoll } from '#api/polls/poll-view.ts';
import { isShownTo } from '#api/reports/queries.ts';
import { isAdmin } from '#shared/accounts/rules.ts';
import { type SharedPoll, sharedPollSchema } from '#shared/polls/schema.ts';
import type { ShareLinks } from './share-links.ts';

/** No poll has this id. */
const NO_ID = '00000000-0000-0000-0000-000000000000';

type Source = { db: Handle; shareLinks: ShareLinks };

/**
 * The poll that this link shows to `viewer` (null for a visitor); null if it shows them none. Users see a poll that they could
 * open by its id, unless its maker is suspended; makers and administrators see it even then. Every slug takes exactly one query,
 * so that the time of a response does not show whether a poll exists.
 */
export async function findSharedPoll(
  { db, shareLinks }: Source,
  slug: string,
  viewer: PollViewer | null,
): Promise<PollRow | null> {
  const user = viewer ?? ANYBODY;
  const [row] = await db.orm
    .select({
      poll: pollFields,
      isMakerSuspended: sql<boolean>`coalesce(${makers.isSuspended}, false)`,
      hasVoted: sql<boolean>`${votes.option} is not null`,
      isShown: sql<boolean>`${isShownTo(db, user.id)}`,
    })
    .from(polls)
    .leftJoin(makers, eq(makers.id, polls.userId))
    .leftJoin(votes, and(eq(votes.pollId, polls.id), eq(votes.userId, user.id)))
    .where(eq(polls.id, shareLinks.pollIdOf(slug) ?? NO_ID));
  if (row === undefined || row.poll.removedAt !== null) return null;
  if (isAdmin(user) || row.poll.userId === user.id) return row.poll;
  const isVisible =
    row.poll.hiddenAt === null && (row.poll.active || row.hasVoted) && !row.isMakerSuspended && row.isShown;
  return isVisible ? row.poll : null;
}

/** A poll as its share link shows it to anybody at `nowMs` (milliseconds since 1970). */
export function toSharedPoll(shareLinks: ShareLinks, row: PollRow, nowMs: number): SharedPoll {
  // The schema removes all fields that a shared poll does not have.
  return sharedPollSchema.parse(toPoll(shareLinks, row, ANYBODY, null, nowMs));
}
