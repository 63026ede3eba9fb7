import type * as z from 'zod/mini';
import type { Deps } from '#api/deps.ts';
import type { UserRow } from '#api/http/session/session-user.ts';
import type { FeedPage, feedQuerySchema } from '#shared/polls/schema.ts';
import { decodeCursor, encodeCursor } from './feed-cursor.ts';
import { findVotes } from './poll-rows.ts';
import { type PollRow, toPoll } from './poll-view.ts';
import { countPolls, listFeed } from './queries.ts';

type FeedQuery = z.output<typeof feedQuerySchema>;

/** What of a page is the same for every viewer. */
type SharedPage = { rows: PollRow[]; hasMore: boolean; total: number };

/**
 * A page of Latest Polls as `viewer` sees it. What all viewers share of page 1 is up to a second old; the
 * viewer's own votes are read after it, so that a vote that was confirmed is never missing.
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
