import { between, isNull } from 'drizzle-orm';
import type { Handle } from '#api/db/client.ts';
import { notifications } from '#api/db/schema/notifications.ts';
import { toNotification } from '#api/notifications/list-notifications.ts';
import { selectNotifications } from '#api/notifications/queries.ts';
import type { Notification, PushMessage } from '#shared/notifications/schema.ts';
import { notificationText, notificationTitle, resultText } from '#shared/notifications/text-rules.ts';

type NotificationRange = { userId: number; firstId: number; lastId: number };

/**
 * Composes the push message about a user's unread notifications from `firstId` to `lastId`, as JSON; several are summarised.
 * Null if all of them have been read or deleted in the meantime.
 */
export async function composePush(
  handle: Handle,
  { userId, firstId, lastId }: NotificationRange,
): Promise<string | null> {
  const isInRange = between(notifications.id, firstId, lastId);
  const rows = await selectNotifications(handle, userId, isInRange, isNull(notifications.readAt));
  const [newest, ...others] = rows.map(toNotification);
  if (newest === undefined) return null;
  const message: PushMessage = { userId, tag: `notification-${lastId}`, ...textsOf(newest, others) };
  return JSON.stringify(message);
}

function textsOf(newest: Notification, others: readonly Notification[]) {
  if (others.length === 0) {
    const path = newest.poll === null ? '/notifications' : `/poll/${newest.poll.id}`;
    return { title: notificationTitle(newest), body: detailOf(newest), path };
  }
  const isAboutPolls = [newest, ...others].every(({ poll }) => poll !== null);
  const title = `${others.length + 1} new ${isAboutPolls ? 'notifications about your polls' : 'notifications'}`;
  const newestTitle = notificationTitle(newest);
  const body = newest.poll === null ? newestTitle : `${newestTitle}. ${newest.poll.question}`;
  return { title, body, path: '/notifications' };
}

function detailOf(notification: Notification): string {
  const { kind, poll, rule } = notification;
  if (kind === 'removed') return rule === null ? 'By an administrator' : 'It broke a rule.';
  if (poll === null) return notificationText(notification);
  if (kind === 'first_vote' || kind === 'halfway') return poll.question;
  return `${resultText(poll)}. ${poll.question}`;
}
