import type { ActivityPage } from '#shared/activity/schema.ts';
import type { UserDb } from '#sync/client/db.ts';
import { listMetaOf } from './cache.ts';

/** If more entries than this are stored, the newest page replaces them all. */
const ENTRIES_MAX = 300;

/**
 * Stores the newest entries of the ledger, read at `startedAt`. Stored entries are kept if the page overlaps with them, since
 * their points never change. Otherwise there would be a gap, and the page replaces the list. So does the first page that a tab
 * loads (`isFirst`), since the user may no longer see the polls and friends of older entries.
 */
export async function putActivity(
  db: UserDb,
  page: ActivityPage,
  startedAt: number,
  { isFirst = false } = {},
): Promise<void> {
  await db.transaction('rw', db.activity, db.listMeta, async () => {
    const meta = await db.listMeta.get('activity');
    const newest = await db.activity.orderBy('id').last();
    const overlaps = newest !== undefined && page.data.some(({ id }) => id <= newest.id);
    const isKept = !isFirst && meta !== undefined && overlaps && (await db.activity.count()) <= ENTRIES_MAX;
    if (!isKept) await db.activity.clear();
    await db.activity.bulkPut(page.data);
    const nextCursor = isKept ? meta.nextCursor : page.nextCursor;
    await db.listMeta.put(listMetaOf('activity', startedAt, nextCursor));
  });
}

/** Appends the page requested with `cursor`, unless the list has been replaced since the request. */
export async function appendActivity(db: UserDb, page: ActivityPage, cursor: string): Promise<void> {
  await db.transaction('rw', db.activity, db.listMeta, async () => {
    const meta = await db.listMeta.get('activity');
    if (meta?.nextCursor !== cursor) return;
    await db.activity.bulkPut(page.data);
    await db.listMeta.put(listMetaOf('activity', meta.fetchedAt, page.nextCursor));
  });
}
