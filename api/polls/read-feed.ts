import type * as z from 'zod/mini';
import type { AppDeps, Deps } from '#api/deps.ts';
import { hashText, JsonText } from '#api/http/etag.ts';
import { createReadBuffer, type ReadBuffer } from '#api/http/read-buffer.ts';
import type { UserRow } from '#api/http/session/session-user.ts';
import { isAdmin } from '#shared/accounts/rules.ts';
import type { FeedPage, feedQuerySchema } from '#shared/polls/schema.ts';
import { decodeCursor, encodeCursor } from './feed-cursor.ts';
import { type PollRow, type PollViewer, toPoll } from './poll-view.ts';
import { countPolls, listFeed } from './queries.ts';

const BUFFER_AGE_MAX_MS = 1_000;

/**
 * Caches for up to a second what is the same for every viewer of the feed. To be dropped after a poll was created, deleted,
 * activated or deactivated, before the answer. `nowMs` is a monotonic clock.
 */
export function createFeedBuffer(nowMs?: () => number): ReadBuffer {
  return createReadBuffer(BUFFER_AGE_MAX_MS, nowMs);
}

/** A viewer who is neither an administrator nor anybody's poll's maker. */
const ANYBODY: PollViewer = { id: 0, isAdmin: false };

type FeedQuery = z.output<typeof feedQuerySchema>;

/** The part of a page that is the same for every viewer. */
type SharedPage = {
  rows: PollRow[];
  /** The JSON of each poll for those who have not voted on it. */
  texts: string[];
  /** A hash of all the rest. */
  version: string;
  hasMore: boolean;
  total: number;
};

/**
 * A page of Latest Polls as `viewer` sees it. The part of page 1 that all viewers share is up to a second old; the viewer's
 * own votes are read after it, so that no confirmed vote is missing.
 */
export async function readFeed(
  { db, feed, voteReader }: Pick<AppDeps, 'db' | 'feed' | 'voteReader'>,
  viewer: UserRow,
  query: FeedQuery,
): Promise<JsonText<FeedPage>> {
  const { limit } = query;
  const cursor = query.cursor === undefined ? null : decodeCursor(query.cursor);
  const offset = cursor === null ? query.offset : 0;
  const load = () => loadPage(db, { limit, offset, cursor });
  const isFirst = cursor === null && offset === 0;
  const page = await (isFirst ? feed.read(`page ${limit}`, load) : load());

  const votes = await voteReader({ viewerId: viewer.id, pollIds: page.rows.map(({ id }) => id) });
  const nowMs = Date.now();
  const isSpecial = ({ id, userId }: PollRow) => votes.has(id) || userId === viewer.id || isAdmin(viewer);
  const own = page.rows.map((row) =>
    isSpecial(row) ? JSON.stringify(toPoll(row, viewer, votes.get(row.id) ?? null, nowMs)) : null,
  );
  const last = page.rows.at(-1);
  const pagination = JSON.stringify({
    limit,
    offset,
    hasMore: page.hasMore,
    nextCursor: page.hasMore && last !== undefined ? encodeCursor(last) : null,
    ...(query.includeCount === 'true' && { total: page.total }),
  } satisfies FeedPage['pagination']);
  return new JsonText(hashText([page.version, pagination, ...own].join()), () => {
    const data = own.map((text, nth) => text ?? page.texts[nth]);
    return `{"data":[${data.join()}],"pagination":${pagination}}`;
  });
}

async function loadPage(db: Deps['db'], place: Parameters<typeof listFeed>[1]): Promise<SharedPage> {
  const [found, { active }] = await Promise.all([
    listFeed(db, { ...place, limit: place.limit + 1 }),
    countPolls(db),
  ]);
  const rows = found.slice(0, place.limit);
  const nowMs = Date.now();
  const texts = rows.map((row) => JSON.stringify(toPoll(row, ANYBODY, null, nowMs)));
  return { rows, texts, version: hashText(texts.join()), hasMore: found.length > place.limit, total: active };
}
