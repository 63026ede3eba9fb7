import { and, desc, eq, isNull, lt, or, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/pg-core';
import type { Handle } from '#api/db/client.ts';
import { pointEntries } from '#api/db/schema/point-entries.ts';
import { polls } from '#api/db/schema/polls.ts';
import { users } from '#api/db/schema/users.ts';
import { type PollViewer, pollSummaryFields } from '#api/polls/poll-view.ts';
import { isShownTo } from '#api/reports/queries.ts';
import { isAdmin } from '#shared/accounts/rules.ts';

const friends = alias(users, 'friends');

/**
 * Reads the newest `limit` entries of a user's ledger before the entry `beforeId` (null: the newest of all), each with its
 * poll or friend and the user's current balance. The subquery reads the entries in the order of their index; the joins come
 * after the limit.
 */
export function listEntries(handle: Handle, viewer: PollViewer, beforeId: number | null, limit: number) {
  const { orm } = handle;
  const page = orm
    .select({
      id: pointEntries.id,
      delta: pointEntries.delta,
      reason: pointEntries.reason,
      source: pointEntries.source,
      createdAt: pointEntries.createdAt,
    })
    .from(pointEntries)
    .where(
      and(eq(pointEntries.userId, viewer.id), beforeId === null ? undefined : lt(pointEntries.id, beforeId)),
    )
    .orderBy(desc(pointEntries.id))
    .limit(limit)
    .as('page');
  const isPollOfEntry = sql`${polls.id} =
    case when ${page.source} ~ '^(vote|poll|refund):[0-9a-f-]{36}$' then split_part(${page.source}, ':', 2)::uuid end`;
  const isVisible = and(
    isNull(polls.removedAt),
    or(
      eq(polls.userId, viewer.id),
      and(isAdmin(viewer) ? undefined : isNull(polls.hiddenAt), isShownTo(handle, viewer.id)),
    ),
  );
  const isFriendOfEntry = sql`${friends.id} =
    case when ${page.source} ~ '^referral:\\d{1,9}:' then split_part(${page.source}, ':', 2)::int end`;
  return orm
    .select({
      id: page.id,
      delta: page.delta,
      reason: page.reason,
      source: page.source,
      createdAt: page.createdAt,
      poll: pollSummaryFields,
      friend: friends.username,
      currentBalance: sql<number>`(select ${users.points} from ${users} where ${users.id} = ${viewer.id})`,
    })
    .from(page)
    .leftJoin(polls, and(isPollOfEntry, isVisible))
    .leftJoin(friends, isFriendOfEntry)
    .orderBy(desc(page.id));
}
