import { FEED_PAGE_SIZE } from '#shared/polls/constants.ts';
import type { StorageManager } from '#sync/client/capabilities.ts';
import type { UserDb } from '#sync/client/db.ts';
import type { EngineErrorCode } from '#sync/client/engine-errors.ts';
import { trimFeed } from './cached-lists.ts';

/** The space that images must leave free for other data of the app. */
const RESERVE_BYTES = 10 * 1024 * 1024;

/** The device has no storage space left. */
export class StorageFullError extends Error {
  override name = 'StorageFullError';
  readonly code: EngineErrorCode = 'storage_full';
}

/** Whether `bytes` more bytes fit, according to the browser, beside the reserve; true if the browser gives no estimate. */
export async function hasSpaceFor(storage: StorageManager, bytes: number): Promise<boolean> {
  const freeBytes = await storage.freeBytes();
  return freeBytes === null || freeBytes - RESERVE_BYTES >= bytes;
}

/**
 * Runs `store`. While the device is full, frees space and tries again: deletes acknowledged ops with their images, then cached
 * images, then old pages of the feed, but never ops in the queue. Throws `StorageFullError` if that is not enough.
 */
export async function withFreedSpace<Result>(
  storage: Pick<StorageManager, 'dropImages'>,
  db: UserDb,
  store: () => Promise<Result>,
): Promise<Result> {
  const steps = [
    () => db.acknowledged.clear(),
    () => storage.dropImages(),
    () => trimFeed(db, FEED_PAGE_SIZE),
  ];
  for (;;) {
    try {
      return await store();
    } catch (error) {
      if (!isQuotaError(error)) throw error;
      const freeSpace = steps.shift();
      if (freeSpace === undefined)
        throw new StorageFullError('No space left on this device', { cause: error });
      // A step may need space itself.
      await freeSpace().catch((failure: unknown) => {
        if (!isQuotaError(failure)) throw failure;
      });
    }
  }
}

/** Whether an error means that the device is full: the quota is exceeded, or the browser's estimate shows no space. */
export function isQuotaError(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof StorageFullError || error.name === 'QuotaExceededError') return true;
  // Dexie's errors of bulk writes and of `modify` contain the errors of the single rows.
  if ('failures' in error && Array.isArray(error.failures)) return error.failures.some(isQuotaError);
  return 'inner' in error && isQuotaError(error.inner);
}
