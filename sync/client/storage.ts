import type { UserDb } from './db.ts';
import type { StorageManager } from './types.ts';

/** Room that stays free for everything else of the app, in bytes. */
const RESERVE_BYTES = 10 * 1024 * 1024;
/** When room is needed, this many polls of the feed stay: the first page. */
const FEED_KEPT = 24;

/** This device has no room for what should be kept. */
export class StorageFullError extends Error {
  override name = 'StorageFullError';
}

/** Whether `bytes` more fit, as far as the browser tells. */
export async function hasRoomFor(storage: StorageManager, bytes: number): Promise<boolean> {
  const freeBytes = await storage.freeBytes();
  return freeBytes === null || freeBytes - RESERVE_BYTES >= bytes;
}

/**
 * Runs `store`; when the device is full it lets go of old pictures and tries again, then of old pages of the
 * feed. What waits to be sent is never let go. Throws `StorageFullError` when that was not enough.
 */
export async function withRoom<Result>(
  storage: StorageManager,
  db: UserDb,
  store: () => Promise<Result>,
): Promise<Result> {
  const reliefs = [() => storage.dropPictures(), () => dropOldPages(db)];
  for (;;) {
    try {
      return await store();
    } catch (error) {
      if (!isQuotaError(error)) throw error;
      const relieve = reliefs.shift();
      if (relieve === undefined) throw new StorageFullError('No room left on this device', { cause: error });
      await relieve();
    }
  }
}

/** Whether the browser refused to store something because the device is full. */
export function isQuotaError(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error.name === 'QuotaExceededError') return true;
  return 'inner' in error && isQuotaError(error.inner);
}

async function dropOldPages(db: UserDb): Promise<void> {
  await db.transaction('rw', [db.polls, db.feed, db.mine, db.trending, db.ops, db.listMeta], async () => {
    const old = await db.feed.orderBy('position').offset(FEED_KEPT).primaryKeys();
    const meta = await db.listMeta.get('feed');
    if (old.length === 0 || meta === undefined) return;
    await db.feed.bulkDelete(old);
    // Without a cursor the next page is asked for by its offset.
    await db.listMeta.put({ ...meta, etag: null, nextCursor: null, hasMore: true });
    const others = await Promise.all([
      db.mine.toCollection().primaryKeys(),
      db.trending.toCollection().primaryKeys(),
      db.ops.toArray().then((ops) => ops.map((op) => op.entityId)),
    ]);
    const kept = new Set(others.flat());
    await db.polls.bulkDelete(old.filter((id) => !kept.has(id)));
  });
}
