import type * as z from 'zod/mini';
import type { Handle } from '#api/db/client.ts';
import { toIsoDate } from '#api/db/timestamps.ts';
import type {
  Notification,
  NotificationsPage,
  notificationsQuerySchema,
} from '#shared/notifications/schema.ts';
import { countUnread, selectNotificationsBefore } from './queries.ts';

/** A page of a user's notifications, newest first, with the number of all unread ones. */
export async function listNotifications(
  handle: Handle,
  userId: number,
  { limit, cursor }: z.output<typeof notificationsQuerySchema>,
): Promise<NotificationsPage> {
  const beforeId = cursor === undefined ? null : Number(cursor);
  const [rows, unread] = await Promise.all([
    selectNotificationsBefore(handle, userId, beforeId, limit + 1),
    countUnread(handle, userId),
  ]);
  const data = rows.slice(0, limit).map(toNotification);
  const last = data.at(-1);
  return { data, unread, nextCursor: rows.length > limit && last !== undefined ? String(last.id) : null };
}

type Row = Awaited<ReturnType<typeof selectNotificationsBefore>>[number];

/** A notification as the API shows it. */
export function toNotification({ poll, username, createdAt, readAt, ...row }: Row): Notification {
  return {
    ...row,
    poll: poll === null ? null : toOwnPoll(poll),
    user: username === null ? null : { username },
    createdAt: toIsoDate(createdAt),
    readAt: readAt === null ? null : toIsoDate(readAt),
  };
}

function toOwnPoll({ votes1, votes2, ...poll }: NonNullable<Row['poll']>): Notification['poll'] {
  return { ...poll, results: { option1: votes1, option2: votes2 } };
}
