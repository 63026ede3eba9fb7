import { and, count, desc, eq, isNull, lt, type SQL } from 'drizzle-orm';
import { alias } from 'drizzle-orm/pg-core';
import type { Handle } from '#api/db/client.ts';
import { notifications } from '#api/db/schema/notifications.ts';
import { polls } from '#api/db/schema/polls.ts';
import { users } from '#api/db/schema/users.ts';
import { pollSummaryFields } from '#api/polls/poll-view.ts';

const friends = alias(users, 'friends');

/** The newest notifications of a user before the id `beforeId` (null: from the newest on), with their polls and friends. */
export function selectNotificationsBefore(
  handle: Handle,
  userId: number,
  beforeId: number | null,
  limit: number,
) {
  const isBefore = beforeId === null ? undefined : lt(notifications.id, beforeId);
  return selectNotifications(handle, userId, isBefore).limit(limit);
}

/** The notifications of a user that meet the conditions, newest first, with their polls and friends. */
export function selectNotifications({ orm }: Handle, userId: number, ...conditions: (SQL | undefined)[]) {
  return orm
    .select({
      id: notifications.id,
      kind: notifications.kind,
      rule: notifications.rule,
      verdict: notifications.verdict,
      createdAt: notifications.createdAt,
      readAt: notifications.readAt,
      poll: {
        ...pollSummaryFields,
        responsesWanted: polls.responsesWanted,
        votes1: polls.votes1,
        votes2: polls.votes2,
      },
      username: friends.username,
    })
    .from(notifications)
    .leftJoin(
      polls,
      // Only the user's own polls are joined, so that a notification about a report does not show the reported poll.
      and(eq(polls.id, notifications.pollId), eq(polls.userId, userId), isNull(polls.removedAt)),
    )
    .leftJoin(friends, eq(friends.id, notifications.friendId))
    .where(and(eq(notifications.userId, userId), ...conditions))
    .orderBy(desc(notifications.id));
}

/** The condition that a notification is an unread one of this user. */
export function isUnreadOf(userId: number) {
  return and(eq(notifications.userId, userId), isNull(notifications.readAt));
}

export async function countUnread({ orm }: Handle, userId: number): Promise<number> {
  const [row] = await orm.select({ unread: count() }).from(notifications).where(isUnreadOf(userId));
  return row?.unread ?? 0;
}
