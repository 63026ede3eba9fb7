import { and, isNotNull, type SQL } from 'drizzle-orm';
import type { Database } from '#api/db/client.ts';
import { polls } from '#api/db/schema/polls.ts';
import { withTimeout } from '#api/db/with-timeout.ts';
import type { ReadCache } from '#api/http/read-cache.ts';
import type { ImageStore } from './image-store.ts';

/** Images are sent even if the database is unavailable: no client waits longer than this for the database. */
const WAIT_MAX_MS = 500;
const RETRY_AFTER_MS = 5_000;

/**
 * Knows which images belong to polls that an administrator has removed. Their files are kept until the poll is deleted.
 * `listCache` is emptied whenever any process removes a poll or shows it again. While the database does not respond,
 * the images that were last read remain withheld.
 */
export function createWithheldImages({ db, listCache }: { db: Database; listCache: ReadCache }) {
  let withheldPaths: ReadonlySet<string> = new Set();
  let nextReadMs = 0;

  async function load(): Promise<ReadonlySet<string>> {
    const rows = await db.orm
      .select({ image1: polls.option1Image, image2: polls.option2Image })
      .from(polls)
      .where(isNotNull(polls.removedAt));
    return new Set(rows.flatMap(({ image1, image2 }) => [image1, image2]));
  }

  async function refresh(): Promise<void> {
    if (performance.now() < nextReadMs) return;
    const loaded = await withTimeout(WAIT_MAX_MS, listCache.read('withheld-images', load)).catch(() => null);
    if (loaded === null) nextReadMs = performance.now() + RETRY_AFTER_MS;
    else withheldPaths = loaded;
  }

  return {
    /** Whether the image of a path, as stored in polls, must not be shown. */
    async has(path: string): Promise<boolean> {
      await refresh();
      return withheldPaths.has(path);
    },
  };
}

/**
 * Deletes the images of the removed polls that meet `condition`, and returns the ids of these polls. Call it before they are
 * deleted: without the row, nothing would prevent a remaining file from being served. Throws the storage's errors.
 */
export async function deleteImagesOfRemovedPolls(
  { db, images }: { db: Database; images: Pick<ImageStore, 'remove'> },
  condition: SQL,
): Promise<string[]> {
  const removed = await db.orm
    .select({ id: polls.id, image1: polls.option1Image, image2: polls.option2Image })
    .from(polls)
    .where(and(isNotNull(polls.removedAt), condition));
  if (removed.length > 0) await images.remove(removed.flatMap(({ image1, image2 }) => [image1, image2]));
  return removed.map(({ id }) => id);
}
