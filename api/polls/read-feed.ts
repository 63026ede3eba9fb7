import type * as z from 'zod/mini';
import type { Deps, ListSource } from '#api/deps.ts';
import { hashText, JsonText } from '#api/http/etag.ts';
import { createReadCache, type ReadCache } from '#api/http/read-cache.ts';
import type { UserRow } from '#api/http/session/session-user.ts';
import { isAdmin } from '#shared/accounts/rules.ts';
import type { FeedPage, feedQuerySchema } from '#shared/polls/schema.ts';
import { decodeCursor, encodeCursor } from './feed-cursor.ts';
import { ANYBODY, type OwnVote, type PollRow, type PollViewer, toPoll } from './poll-view.ts';
import { countHidden, countPolls, type FeedPart, listFeed } from './queries.ts';
import type { ShareLinks } from './sharing/share-links.ts';

const LIST_AGE_MAX_MS = 1_000;

/**
 * Creates the cache of the lists that many viewers share. An entry is up to a second old, unless a read accepts an older one.
 * Drop the cache once a poll has entered or left the feed or got another image, before the response is sent. `nowMs` is a
 * monotonic clock.
 */
export function createListCache(nowMs?: () => number): ReadCache {
  return createReadCache(LIST_AGE_MAX_MS, nowMs);
}

const PAGE_START = '{"data":[';

type FeedQuery = z.output<typeof feedQuerySchema>;

/** A poll of a page. */
type FeedPoll = {
  row: PollRow;
  /** Its JSON for each kind of viewer that has requested it, by `viewKey`. */
  texts: Map<string, Buffer>;
  /** Where its JSON begins and ends in the text of the page, in bytes. */
  begin: number;
  end: number;
};

/** The part of a page that is the same for every viewer. */
type SharedPage = {
  polls: FeedPoll[];
  pollIds: string[];
  /** The JSON of the page as `ANYBODY` sees it, and its hash. */
  text: Buffer;
  version: string;
};

/**
 * A page of Latest Polls as `viewer` sees it. The part of page 1 that all viewers share is up to a second old; the viewer's own
 * votes are read after it, so that no confirmed vote is missing. A viewer who has reported polls or blocked users gets a page
 * that is read separately.
 */
export async function readFeed(
  source: ListSource & Pick<Deps, 'shareLinks'>,
  viewer: UserRow,
  query: FeedQuery,
): Promise<JsonText<FeedPage>> {
  const { listCache, voteReader, shareLinks } = source;
  const { limit } = query;
  const cursor = query.cursor === undefined ? null : decodeCursor(query.cursor);
  const offset = cursor === null ? query.offset : 0;
  const viewerId = viewer.hidesPolls ? viewer.id : null;
  const isCounted = query.includeCount === 'true';
  const load = () => loadPage(source, { limit, offset, cursor, viewerId, isCounted });
  const isShared = cursor === null && offset === 0 && viewerId === null;
  const page = await (isShared ? listCache.read(`page ${limit} ${isCounted}`, load) : load());

  const votes = await voteReader({ viewerId: viewer.id, pollIds: page.pollIds });
  const differing = findDiffering(page, viewer, votes);
  // `begin` identifies the poll within the page.
  const version = [page.version, ...differing.map(({ poll, key }) => `${poll.begin}${key}`)].join('-');
  return new JsonText(version, () => {
    const parts: Buffer[] = [];
    let from = 0;
    for (const { poll, vote, key } of differing) {
      parts.push(page.text.subarray(from, poll.begin), cachedText(shareLinks, poll, viewer, vote, key));
      from = poll.end;
    }
    return Buffer.concat([...parts, page.text.subarray(from)]);
  });
}

/** The polls of a page that `viewer`, who has cast `votes`, sees differently from `ANYBODY`. */
function findDiffering({ polls }: SharedPage, viewer: PollViewer, votes: ReadonlyMap<string, OwnVote>) {
  const differing: { poll: FeedPoll; vote: OwnVote | null; key: string }[] = [];
  for (const poll of polls) {
    const vote = votes.get(poll.row.id) ?? null;
    const key = viewKey(poll.row, viewer, vote);
    if (key !== '') differing.push({ poll, vote, key });
  }
  return differing;
}

/** Equal for viewers who see the same of a poll; empty for `ANYBODY`. */
function viewKey(row: PollRow, viewer: PollViewer, vote: OwnVote | null): string {
  const voteKey = vote === null ? '' : `v${vote.option}.${vote.changes}`;
  return voteKey + (row.userId === viewer.id ? 'm' : '') + (isAdmin(viewer) ? 'a' : '');
}

/** The JSON of a poll for a viewer with this `viewKey`. */
function cachedText(
  shareLinks: ShareLinks,
  { row, texts }: FeedPoll,
  viewer: PollViewer,
  vote: OwnVote | null,
  key: string,
): Buffer {
  const known = texts.get(key);
  if (known !== undefined) return known;
  const text = toText(shareLinks, row, viewer, vote);
  texts.set(key, text);
  return text;
}

function toText(shareLinks: ShareLinks, row: PollRow, viewer: PollViewer, vote: OwnVote | null): Buffer {
  return Buffer.from(JSON.stringify(toPoll(shareLinks, row, viewer, vote, Date.now())));
}

async function loadPage(
  { db, shareLinks }: Pick<Deps, 'db' | 'shareLinks'>,
  { isCounted, ...part }: FeedPart & { isCounted: boolean },
): Promise<SharedPage> {
  const { limit, offset, viewerId } = part;
  const [rows, { active }, hidden] = await Promise.all([
    listFeed(db, { ...part, limit: limit + 1 }),
    isCounted ? countPolls(db) : { active: 0 },
    isCounted && viewerId !== null ? countHidden(db, viewerId) : 0,
  ]);
  const hasMore = rows.length > limit;
  const listed = rows.slice(0, limit);
  const texts = listed.map((row) => toText(shareLinks, row, ANYBODY, null));
  const last = listed.at(-1);
  const pagination: FeedPage['pagination'] = {
    limit,
    offset,
    hasMore,
    nextCursor: hasMore && last !== undefined ? encodeCursor(last) : null,
    ...(isCounted && { total: active - hidden }),
  };
  const text = Buffer.from(`${PAGE_START}${texts.join(',')}],"pagination":${JSON.stringify(pagination)}}`);
  // Each text begins after the comma that follows the one before it; no comma precedes the first.
  let end = PAGE_START.length - 1;
  const polls = listed.map((row, index): FeedPoll => {
    const begin = end + 1;
    end = begin + (texts[index]?.length ?? 0);
    return { row, texts: new Map(), begin, end };
  });
  return { polls, pollIds: listed.map(({ id }) => id), text, version: hashText(text) };
}
