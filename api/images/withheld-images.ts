import { isNotNull } from 'drizzle-orm';
import type { Database } from '#api/db/client.ts';
import { polls } from '#api/db/schema/polls.ts';
import type { ReadBuffer } from '#api/http/read-buffer.ts';

/** Images are sent without the database, too; a client waits no longer than this for it. */
const WAIT_MAX_MS = 500;
const RETRY_AFTER_MS = 5_000;

/**
 * Tells which images belong to polls that an administrator has removed. Their files stay for as long as that can be undone.
 * `feed` is emptied whenever a poll is removed or shown again, by any process. While the database does not answer, what is
 * known of it stays.
 */
export function createWithheldImages({ db, feed }: { db: Database; feed: ReadBuffer }) {
  let known: ReadonlySet<string> = new Set();
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
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<null>((resolve) => {
      timer = setTimeout(resolve, WAIT_MAX_MS, null);
    });
    const found = await Promise.race([feed.read('withheld-images', load).catch(() => null), late]);
    clearTimeout(timer);
    if (found === null) nextReadMs = performance.now() + RETRY_AFTER_MS;
    else known = found;
  }

  return {
    /** Whether the image of a path, as stored in polls, must not be shown. */
    async has(path: string): Promise<boolean> {
      await refresh();
      return known.has(path);
    },
  };
}
