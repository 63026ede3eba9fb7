import type { NotificationsPage } from '#shared/notifications/schema.ts';
import type { UserDb } from '#sync/client/db.ts';
import { type Op, operationOf } from '#sync/operations/registry.ts';
import { listMetaOf } from './cache.ts';

/**
 * Stores the newest notifications, read at `startedAt`. Older stored notifications are kept if the page overlaps with the list
 * and is not the last page; otherwise the page replaces the list. So does the first page that a tab loads (`isFirst`), since
 * polls and friends of older notifications may no longer exist. Notifications that this device has marked as read remain
 * read, even if the page is older than that.
 */
export async function putNotifications(
  db: UserDb,
  page: NotificationsPage,
  startedAt: number,
  { isFirst = false } = {},
): Promise<void> {
  await db.transaction('rw', db.notifications, db.listMeta, async () => {
    const meta = await db.listMeta.get('notifications');
    const newest = await db.notifications.orderBy('id').last();
    const oldest = page.data.at(-1);
    const overlaps = newest !== undefined && oldest !== undefined && oldest.id <= newest.id;
    const isKept = !isFirst && meta !== undefined && overlaps && page.nextCursor !== null;
    // The server may have withdrawn some of the stored notifications in the range of the page.
    if (isKept) await db.notifications.where('id').aboveOrEqual(oldest.id).delete();
    else await db.notifications.clear();
    await db.notifications.bulkPut(page.data);
    // If a notification is read, all older notifications are read, too.
    const newestReadId = page.data.find(({ readAt }) => readAt !== null)?.id ?? 0;
    const readUpTo = Math.max(meta?.readUpTo ?? 0, newestReadId);
    await markStoredRead(db, readUpTo, startedAt);
    const hasAllUnread = page.nextCursor === null || (oldest?.id ?? 0) <= readUpTo;
    const unread = hasAllUnread ? await countStoredUnread(db, readUpTo) : page.unread;
    const nextCursor = isKept ? meta.nextCursor : page.nextCursor;
    await db.listMeta.put({ ...listMetaOf('notifications', startedAt, nextCursor), unread, readUpTo });
  });
}

/** Appends the page requested with `cursor`, unless the list has been replaced since the request. */
export async function appendNotifications(
  db: UserDb,
  page: NotificationsPage,
  cursor: string,
): Promise<void> {
  await db.transaction('rw', db.notifications, db.listMeta, async () => {
    const meta = await db.listMeta.get('notifications');
    if (meta?.nextCursor !== cursor) return;
    await db.notifications.bulkPut(page.data);
    const { fetchedAt, unread = 0, readUpTo = 0 } = meta;
    await markStoredRead(db, readUpTo, fetchedAt);
    await db.listMeta.put({ ...listMetaOf('notifications', fetchedAt, page.nextCursor), unread, readUpTo });
  });
}

/** Marks stored notifications as read up to where acknowledged `ops` have marked them. Runs in the caller's transaction. */
export async function confirmMarkedRead(db: UserDb, ops: readonly Op[], ackedAt: number): Promise<void> {
  const upTo = markedReadUpTo(ops);
  const meta = upTo === 0 ? undefined : await db.listMeta.get('notifications');
  if (meta === undefined) return;
  const readUpTo = Math.max(meta.readUpTo ?? 0, upTo);
  await markStoredRead(db, readUpTo, ackedAt);
  await db.listMeta.put({ ...meta, readUpTo, unread: await countStoredUnread(db, readUpTo) });
}

/** The id up to which `ops` mark notifications as read; 0 if they mark none. */
export function markedReadUpTo(ops: readonly Op[]): number {
  return Math.max(0, ...ops.map((op) => operationOf(op).marksRead?.(op.payload) ?? 0));
}

/** The number of unread stored notifications whose id is above `readUpTo`. */
export function countStoredUnread(db: UserDb, readUpTo: number): Promise<number> {
  return db.notifications
    .where('id')
    .above(readUpTo)
    .and(({ readAt }) => readAt === null)
    .count();
}

async function markStoredRead(db: UserDb, readUpTo: number, nowMs: number): Promise<void> {
  const readAt = new Date(nowMs).toISOString();
  await db.notifications
    .where('id')
    .belowOrEqual(readUpTo)
    .and((notification) => notification.readAt === null)
    .modify({ readAt });
}
