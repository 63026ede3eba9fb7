import type * as z from 'zod/mini';
import type { Deps } from '#api/deps.ts';
import { createReadBuffer, type ReadBuffer } from '#api/http/read-buffer.ts';
import type { UserRow } from '#api/http/session/session-user.ts';
import type { FeedPage, feedQuerySchema } from '#shared/polls/schema.ts';
import { decodeCursor, encodeCursor } from './feed-cursor.ts';
import { findVotes } from './poll-rows.ts';
import { type PollRow, toPoll } from './poll-view.ts';
import { countPolls, listFeed } from './queries.ts';

const BUFFER_AGE_MAX_MS = 1_000;

/**
 * Caches for up to a second what is the same for every viewer of the feed. To be dropped after a poll was created, deleted,
 * activated or deactivated, before the answer. `nowMs` is a monotonic clock.
 */
export function createFeedBuffer(nowMs?: () => number): ReadBuffer {
  return createReadBuffer(BUFFER_AGE_MAX_MS, nowMs);
}

type FeedQuery = z.output<typeof feedQuerySchema>;

/** The part of a page that is the same for every viewer. */
type SharedPage = { rows: PollRow[]; hasMore: boolean; total: number };

/**
 * A page of Latest Polls as `viewer` sees it. The part of page 1 that all viewers share is up to a second old; the viewer's
 * own votes are read after it, so that no confirmed vote is missing.
 */
export async function readFeed(
  { db, feed }: Pick<Deps, 'db' | 'feed'>,
  viewer: UserRow,
  query: FeedQuery,
): Promise<FeedPage> {
  const { limit } = query;
  const cursor = query.cursor === undefined ? null : decodeCursor(query.cursor);
  const offset = cursor === null ? query.offset : 0;
  const load = () => loadPage(db, { limit, offset, cursor });
  const isFirst = cursor === null && offset === 0;
  const { rows, hasMore, total } = await (isFirst ? feed.read(`page ${limit}`, load) : load());

  const votes = await findVotes(
    db,
    viewer.id,
    rows.map(({ id }) => id),
  );
  const nowMs = Date.now();
  const last = rows.at(-1);
  return {
    data: rows.map((row) => toPoll(row, viewer, votes.get(row.id) ?? null, nowMs)),
    pagination: {
      limit,
      offset,
      hasMore,
      nextCursor: hasMore && last !== undefined ? encodeCursor(last) : null,
      ...(query.includeCount === 'true' && { total }),
    },
  };
}

async function loadPage(db: Deps['db'], place: Parameters<typeof listFeed>[1]): Promise<SharedPage> {
  const [rows, { active }] = await Promise.all([
    listFeed(db, { ...place, limit: place.limit + 1 }),
    countPolls(db),
  ]);
  return { rows: rows.slice(0, place.limit), hasMore: rows.length > place.limit, total: active };
}
