import { FEED_PAGE_SIZE } from '#shared/polls/constants.ts';
import type { UserDb } from '#sync/client/db.ts';
import type { EngineErrorCode, StorageManager } from '#sync/client/types.ts';
import { trimFeed } from './cached-lists.ts';

/** Room that stays free for everything else of the app, in bytes. */
const RESERVE_BYTES = 10 * 1024 * 1024;

/** This device has no room for what should be kept. */
export class StorageFullError extends Error {
  override name = 'StorageFullError';
  readonly code: EngineErrorCode = 'storage_full';
}

/** Whether `bytes` more fit, as far as the browser tells. */
export async function hasRoomFor(storage: StorageManager, bytes: number): Promise<boolean> {
  const freeBytes = await storage.freeBytes();
  return freeBytes === null || freeBytes - RESERVE_BYTES >= bytes;
}

/**
 * Runs `store`; when the device is full it lets go of acknowledged ops with their images and tries again, then of
 * images that can be fetched again, then of old pages of the feed. What waits to be sent is never let go. Throws
 * `StorageFullError` when that was not enough.
 */
export async function withRoom<Result>(
  storage: Pick<StorageManager, 'dropImages'>,
  db: UserDb,
  store: () => Promise<Result>,
): Promise<Result> {
  const reliefs = [
    () => db.acknowledged.clear(),
    () => storage.dropImages(),
    () => trimFeed(db, FEED_PAGE_SIZE),
  ];
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

/** Whether something was not stored because the device is full, be it by the browser's refusal or its estimate. */
export function isQuotaError(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof StorageFullError || error.name === 'QuotaExceededError') return true;
  return 'inner' in error && isQuotaError(error.inner);
}
