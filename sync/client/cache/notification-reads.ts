import type { Notification } from '#shared/notifications/schema.ts';
import type { ListMeta, UserDb } from '#sync/client/db.ts';
import { isPending } from '#sync/client/outbox/overlay.ts';
import { countStoredUnread, markedReadUpTo } from './cached-notifications.ts';

/** The notifications, newest first. `meta` is null while this device has never loaded them. */
export type NotificationsView = { items: Notification[]; unread: number; meta: ListMeta | null };

/** The id up to which pending ops mark notifications as read. */
async function pendingReadUpTo(db: UserDb): Promise<number> {
  return markedReadUpTo((await db.ops.toArray()).filter(isPending));
}

/** Reads the stored notifications. Notifications that a pending op marks as read are shown as read. */
export async function listNotifications(db: UserDb): Promise<NotificationsView> {
  const [items, upTo, meta, unread] = await Promise.all([
    db.notifications.orderBy('id').reverse().toArray(),
    pendingReadUpTo(db),
    db.listMeta.get('notifications'),
    countUnread(db),
  ]);
  const shownItems = items.map((notification) =>
    notification.readAt === null && notification.id <= upTo
      ? { ...notification, readAt: notification.createdAt }
      : notification,
  );
  return { items: shownItems, unread, meta: meta ?? null };
}

/** The number of unread notifications, without those that a pending op marks as read. */
export function countUnread(db: UserDb): Promise<number> {
  return db.transaction('r', [db.ops, db.listMeta, db.notifications], async () => {
    const [upTo, meta] = await Promise.all([pendingReadUpTo(db), db.listMeta.get('notifications')]);
    // Not all notifications above `upTo` may be stored, but then at least a page of them is, and the bell shows "9+" anyway.
    return upTo > (meta?.readUpTo ?? 0) ? countStoredUnread(db, upTo) : (meta?.unread ?? 0);
  });
}
