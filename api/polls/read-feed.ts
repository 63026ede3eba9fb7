import type * as z from 'zod/mini';
import type { Deps, ListSource } from '#api/deps.ts';
import { hashText, JsonText } from '#api/http/etag.ts';
import { createReadBuffer, type ReadBuffer } from '#api/http/read-buffer.ts';
import type { UserRow } from '#api/http/session/session-user.ts';
import { isAdmin } from '#shared/accounts/rules.ts';
import type { FeedPage, feedQuerySchema } from '#shared/polls/schema.ts';
import { decodeCursor, encodeCursor } from './feed-cursor.ts';
import { type OwnVote, type PollRow, type PollViewer, toPoll } from './poll-view.ts';
import { countHidden, countPolls, type FeedPosition, listFeed } from './queries.ts';
import type { ShareLinks } from './sharing/share-links.ts';

const BUFFER_AGE_MAX_MS = 1_000;

/**
 * Creates the cache of what is the same for every viewer of the feed, for up to a second. Drop it after a poll was created,
 * deleted, activated or deactivated, before the response is sent. `nowMs` is a monotonic clock.
 */
export function createFeedBuffer(nowMs?: () => number): ReadBuffer {
  return createReadBuffer(BUFFER_AGE_MAX_MS, nowMs);
}

/** A viewer who is neither an administrator nor the maker of any poll. */
const ANYBODY: PollViewer = { id: 0, isAdmin: false };

type FeedQuery = z.output<typeof feedQuerySchema>;

/** A poll of the feed with its JSON for each kind of viewer that has asked for it, by `viewKey`. */
type PollTexts = { row: PollRow; texts: Map<string, Buffer> };

/** The part of a page that is the same for every viewer. */
type SharedPage = {
  polls: PollTexts[];
  pollIds: string[];
  /** The polls as anybody sees them, as JSON with commas between them. */
  text: Buffer;
  /** The byte offset in `text` at which each poll ends. */
  ends: number[];
  /** A hash of `text`. */
  version: string;
  pagination: FeedPage['pagination'];
};

/**
 * A page of Latest Polls as `viewer` sees it. The part of page 1 that all viewers share is up to a second old; the viewer's own
 * votes are read after it, so that no confirmed vote is missing. A viewer who has reported polls or blocked users gets a page
 * that is read for them alone.
 */
export async function readFeed(
  source: ListSource & Pick<Deps, 'shareLinks'>,
  viewer: UserRow,
  query: FeedQuery,
): Promise<JsonText<FeedPage>> {
  const { feed, voteReader, shareLinks } = source;
  const { limit } = query;
  const cursor = query.cursor === undefined ? null : decodeCursor(query.cursor);
  const offset = cursor === null ? query.offset : 0;
  const viewerId = viewer.hidesPolls ? viewer.id : null;
  const isShared = cursor === null && offset === 0 && viewerId === null;
  const isCounted = isShared || query.includeCount === 'true';
  const load = () => loadPage(source, { limit, offset, cursor, viewerId, isCounted });
  const page = await (isShared ? feed.read(`page ${limit}`, load) : load());

  const votes = await voteReader({ viewerId: viewer.id, pollIds: page.pollIds });
  const differing = page.polls.flatMap((poll, index) => {
    const vote = votes.get(poll.row.id) ?? null;
    const key = viewKey(poll.row, viewer, vote);
    return key === '' ? [] : [{ poll, index, vote, key }];
  });
  const pagination = JSON.stringify(
    query.includeCount === 'true' ? page.pagination : { ...page.pagination, total: undefined },
  );
  const version = [page.version, pagination, ...differing.map(({ index, key }) => `${index}:${key}`)].join();
  return new JsonText(hashText(version), () => {
    const parts: Buffer[] = [DATA_BEGIN];
    let from = 0;
    for (const { poll, index, vote } of differing) {
      const begin = index === 0 ? 0 : (page.ends[index - 1] ?? 0) + COMMA.length;
      parts.push(page.text.subarray(from, begin), textOf(shareLinks, poll, viewer, vote));
      from = page.ends[index] ?? 0;
    }
    parts.push(page.text.subarray(from), Buffer.from(`],"pagination":${pagination}}`));
    return Buffer.concat(parts);
  });
}

const DATA_BEGIN = Buffer.from('{"data":[');
const COMMA = ',';

/** Equal for viewers who see the same of a poll; empty for `ANYBODY`. */
function viewKey(row: PollRow, viewer: PollViewer, vote: OwnVote | null): string {
  const maker = row.userId === viewer.id ? 'm' : '';
  return `${vote === null ? '' : `${vote.option}.${vote.changes}`}${maker}${isAdmin(viewer) ? 'a' : ''}`;
}

function textOf(
  shareLinks: ShareLinks,
  { row, texts }: PollTexts,
  viewer: PollViewer,
  vote: OwnVote | null,
): Buffer {
  const key = viewKey(row, viewer, vote);
  const known = texts.get(key);
  if (known !== undefined) return known;
  const text = Buffer.from(JSON.stringify(toPoll(shareLinks, row, viewer, vote, Date.now())));
  texts.set(key, text);
  return text;
}

async function loadPage(
  { db, shareLinks }: Pick<Deps, 'db' | 'shareLinks'>,
  { isCounted, ...place }: FeedPosition & { limit: number; isCounted: boolean },
): Promise<SharedPage> {
  const { viewerId } = place;
  const [rows, { active }, hidden] = await Promise.all([
    listFeed(db, { ...place, limit: place.limit + 1 }),
    isCounted ? countPolls(db) : { active: 0 },
    isCounted && viewerId !== null ? countHidden(db, viewerId) : 0,
  ]);
  const polls = rows.slice(0, place.limit).map((row): PollTexts => ({ row, texts: new Map() }));
  const texts = polls.map((poll) => textOf(shareLinks, poll, ANYBODY, null));
  const text = Buffer.from(texts.join(COMMA));
  const ends: number[] = [];
  for (const { length } of texts) ends.push((ends.at(-1) ?? -COMMA.length) + COMMA.length + length);
  const last = polls.at(-1)?.row;
  const hasMore = rows.length > place.limit;
  return {
    polls,
    pollIds: polls.map(({ row }) => row.id),
    text,
    ends,
    version: hashText(text),
    pagination: {
      limit: place.limit,
      offset: place.offset,
      hasMore,
      nextCursor: hasMore && last !== undefined ? encodeCursor(last) : null,
      ...(isCounted && { total: active - hidden }),
    },
  };
}
