import * as z from 'zod/mini';
import { readUser } from '#shared/accounts/contract.ts';
import { type User, userSchema } from '#shared/accounts/schema.ts';
import { ACTIVITY_PAGE_SIZE } from '#shared/activity/constants.ts';
import { readActivity } from '#shared/activity/contract.ts';
import { buildPath, type Call, type ResponseOf, responseSchema, type UrlParamsOf } from '#shared/contract.ts';
import { errorBodySchema, type ReceivedErrorCode } from '#shared/errors.ts';
import { DECK_PAGE_SIZE_MAX, type SearchSort } from '#shared/explore/constants.ts';
import { readDeck, searchPolls } from '#shared/explore/contract.ts';
import type { SearchPage } from '#shared/explore/schema.ts';
import { EXPECTED_EPOCH_HEADER, EXPECTED_USER_HEADER } from '#shared/http.ts';
import { NOTIFICATIONS_PAGE_SIZE } from '#shared/notifications/constants.ts';
import { listNotifications } from '#shared/notifications/contract.ts';
import { FEED_PAGE_SIZE, TRENDING_COUNT, TRENDING_MIN_VOTES } from '#shared/polls/constants.ts';
import { listOwnPolls, readFeed, readPoll, readTrending } from '#shared/polls/contract.ts';
import { listBlocks } from '#shared/reports/contract.ts';
import type { Capabilities, Transport, TransportResponse } from '#sync/client/capabilities.ts';
import type { UserDb } from '#sync/client/db.ts';
import { hiddenViewOf, readHidden } from '#sync/client/outbox/hidden.ts';
import { dropPolls, putBlocks, putPolls, responseValidity } from './cache.ts';
import { appendActivity, putActivity } from './cached-activity.ts';
import { appendDeck, putDeck } from './cached-deck.ts';
import { appendFeed, keepUnchangedFeed, putFeed, putList } from './cached-lists.ts';
import { appendNotifications, putNotifications } from './cached-notifications.ts';
import { getPolls } from './get-polls.ts';
import { isQuotaError } from './storage.ts';

/**
 * The result of a pull from the server.
 * - `updated`: the response was stored
 * - `unchanged`: a 304, or there are no further pages
 * - `unreachable`: no response of the API
 * - `logged_out`: the user is not logged in, or has no data on this device any more (see `pull`)
 * - `gone`: the server does not have the resource
 * - `failed`: any other response
 */
export type PullResult = 'updated' | 'unchanged' | 'unreachable' | 'logged_out' | 'gone' | 'failed';

/** A search for polls; `cursor` is the `nextCursor` of the previous page, null for the first one. */
export type SearchQuery = { q: string; sort: SearchSort; cursor: string | null };

const GET_TIMEOUT_MS = 15_000;

/** What a pull needs. */
export type PullContext = Pick<Capabilities, 'transport' | 'clock' | 'storage'> & {
  db: UserDb;
  userId: number;
};

/** Sends a GET request. Null if there was no complete response. */
export async function sendGet(
  transport: Transport,
  path: string,
  headers: Record<string, string> = {},
): Promise<TransportResponse | null> {
  try {
    return await transport({
      method: 'GET',
      path,
      headers: { Accept: 'application/json', ...headers },
      body: null,
      timeoutMs: GET_TIMEOUT_MS,
    });
  } catch {
    return null;
  }
}

/** The error code of a response; null if the response is not an error of the API. */
function errorCodeOf({ status, body }: TransportResponse): ReceivedErrorCode | null {
  const error = status < 400 ? null : errorBodySchema.safeParse(body);
  return error?.success ? error.data.code : null;
}

/** Fetches the logged-in user. Null if nobody is logged in, `unreachable` without a usable response. */
export async function fetchUser(transport: Transport): Promise<User | null | 'unreachable'> {
  const response = await sendGet(transport, readUser.path);
  if (response !== null && errorCodeOf(response) === 'unauthenticated') return null;
  const user = userSchema.safeParse(response?.body);
  return response?.status === 200 && user.success ? user.data : 'unreachable';
}

/**
 * Makes `call` for the context's user and passes a valid body to `store`. The result is `logged_out`, and nothing is stored, if
 * the session has ended or belongs to another user, or if the user's database was emptied since the request: by a logout, a
 * change of the server, or the browser.
 */
async function pull<C extends Call>(
  context: PullContext,
  call: C,
  urlParams: UrlParamsOf<C>,
  store: (body: ResponseOf<C>, response: TransportResponse) => Promise<void>,
  headers: Record<string, string> = {},
): Promise<PullResult> {
  const { db, userId } = context;
  const epoch = (await db.user.get(userId))?.epoch;
  const response = await sendGet(context.transport, buildPath(call, urlParams), {
    [EXPECTED_USER_HEADER]: String(userId),
    ...(epoch !== undefined && { [EXPECTED_EPOCH_HEADER]: epoch }),
    ...headers,
  });
  if (response === null) return 'unreachable';
  if (response.status === 304) return 'unchanged';
  if (response.body === null) return 'unreachable';
  const code = errorCodeOf(response);
  if (code === 'unauthenticated' || code === 'actor_mismatch') return 'logged_out';
  if (code === 'not_found') return 'gone';
  const body = z.safeParse(responseSchema(call), response.body);
  if (response.status !== 200 || !body.success) return 'failed';
  return storeDroppingImages(context, () =>
    db.transaction('rw', db.tables, async () => {
      if ((await responseValidity(db, userId, epoch)) !== 'current') return 'logged_out';
      await store(body.data, response);
      return 'updated';
    }),
  );
}

/**
 * Runs `store`; if the device is full, deletes cached images and tries again. Unlike `withFreedSpace`, keeps acknowledged ops and
 * old pages of the feed: what was pulled can be fetched again, and the user may be reading these pages.
 */
async function storeDroppingImages<Result>(
  { storage }: PullContext,
  store: () => Promise<Result>,
): Promise<Result> {
  try {
    return await store();
  } catch (error) {
    if (!isQuotaError(error)) throw error;
    await storage.dropImages();
    return store();
  }
}

/** Changes with each build, since the name of the file contains a hash of the code. */
const BUILD_ID = import.meta.url;

/**
 * Loads page 1, which replaces the stored feed unless the response is a 304. Sends no ETag if another build has stored the feed,
 * since that may have stored other fields of the polls. `isFirst`: whether it is the first pull of this tab. Then a 304 keeps
 * only page 1, since polls on later pages may have changed while no tab received live updates.
 */
export async function pullFeed(context: PullContext, { isFirst = false } = {}): Promise<PullResult> {
  const { db, clock } = context;
  const startedAt = clock.now();
  const meta = await db.listMeta.get('feed');
  const result = await pull(
    context,
    readFeed,
    { query: { limit: FEED_PAGE_SIZE, offset: 0, includeCount: true } },
    (page, response) =>
      putFeed(db, page, { etag: response.headers.get('ETag'), buildId: BUILD_ID, startedAt }),
    meta?.etag && meta.buildId === BUILD_ID ? { 'If-None-Match': meta.etag } : {},
  );
  if (result === 'unchanged')
    await storeDroppingImages(context, () =>
      keepUnchangedFeed(db, startedAt, isFirst ? FEED_PAGE_SIZE : undefined),
    );
  return result;
}

/** Loads and appends the page after the last stored page. */
export async function pullMoreFeed(context: PullContext): Promise<PullResult> {
  const { db, clock } = context;
  const startedAt = clock.now();
  const meta = await db.listMeta.get('feed');
  if (meta === undefined || !meta.hasMore) return 'unchanged';
  const query = {
    limit: FEED_PAGE_SIZE,
    offset: await countListed(db),
    includeCount: true,
    cursor: meta.nextCursor,
  };
  return pull(context, readFeed, { query }, (page) =>
    appendFeed(db, page, { cursor: meta.nextCursor, startedAt }),
  );
}

/** Counts the polls of the stored feed that the server lists, too: it leaves hidden polls out. */
async function countListed(db: UserDb): Promise<number> {
  const polls = await getPolls(db, await db.feed.toCollection().primaryKeys());
  const hidden = await readHidden(db, await db.ops.orderBy('seq').toArray());
  return polls.filter((poll) => poll === undefined || hiddenViewOf(poll, hidden) === null).length;
}

/** Loads the polls with the most votes, which replace the stored list. */
export async function pullTrending(context: PullContext): Promise<PullResult> {
  const startedAt = context.clock.now();
  const query = { limit: TRENDING_COUNT, metrics: true, minVotes: TRENDING_MIN_VOTES };
  return pull(context, readTrending, { query }, (polls) => {
    // Does not rely on the order and the number of the polls in the response.
    const top = polls.toSorted((a, b) => b.votesCount - a.votesCount).slice(0, TRENDING_COUNT);
    return putList(context.db, 'trending', top, startedAt);
  });
}

/** Loads all polls of the user, which replace the stored list. */
export async function pullMine(context: PullContext): Promise<PullResult> {
  const startedAt = context.clock.now();
  return pull(context, listOwnPolls, {}, (polls) => putList(context.db, 'mine', polls, startedAt));
}

/** Loads the newest entries of the ledger. `isFirst`: whether it is the first pull of this tab. */
export async function pullActivity(context: PullContext, { isFirst = false } = {}): Promise<PullResult> {
  const startedAt = context.clock.now();
  return pull(context, readActivity, { query: { limit: ACTIVITY_PAGE_SIZE } }, (page) =>
    putActivity(context.db, page, startedAt, { isFirst }),
  );
}

/** Loads and appends the entries before the oldest stored entry. */
export async function pullMoreActivity(context: PullContext): Promise<PullResult> {
  const { db } = context;
  const cursor = (await db.listMeta.get('activity'))?.nextCursor ?? null;
  if (cursor === null) return 'unchanged';
  return pull(context, readActivity, { query: { limit: ACTIVITY_PAGE_SIZE, cursor } }, (page) =>
    appendActivity(db, page, cursor),
  );
}

/** Loads the newest notifications. `isFirst`: whether it is the first pull of this tab. */
export async function pullNotifications(context: PullContext, { isFirst = false } = {}): Promise<PullResult> {
  const startedAt = context.clock.now();
  return pull(context, listNotifications, { query: { limit: NOTIFICATIONS_PAGE_SIZE } }, (page) =>
    putNotifications(context.db, page, startedAt, { isFirst }),
  );
}

/** Loads and appends the notifications before the oldest stored notification. */
export async function pullMoreNotifications(context: PullContext): Promise<PullResult> {
  const { db } = context;
  const cursor = (await db.listMeta.get('notifications'))?.nextCursor ?? null;
  if (cursor === null) return 'unchanged';
  return pull(context, listNotifications, { query: { limit: NOTIFICATIONS_PAGE_SIZE, cursor } }, (page) =>
    appendNotifications(db, page, cursor),
  );
}

/** Loads the first page of the deck, which replaces the stored deck except for the polls on the screen (`shown`). */
export async function pullDeck(context: PullContext, shown: readonly string[]): Promise<PullResult> {
  const startedAt = context.clock.now();
  return pull(context, readDeck, { query: { limit: DECK_PAGE_SIZE_MAX } }, (page) =>
    putDeck(context.db, page, startedAt, shown),
  );
}

/** Loads and appends the next page of the deck. If the deck is replaced meanwhile, loads the page that is the next one then. */
export async function pullMoreDeck(context: PullContext): Promise<PullResult> {
  const { db } = context;
  const cursor = (await db.listMeta.get('deck'))?.nextCursor ?? null;
  if (cursor === null) return 'unchanged';
  let isAppended = true;
  const result = await pull(
    context,
    readDeck,
    { query: { limit: DECK_PAGE_SIZE_MAX, cursor } },
    async (page) => {
      isAppended = await appendDeck(db, page, cursor);
    },
  );
  return isAppended ? result : pullMoreDeck(context);
}

/** Loads a page of search results, stores its polls in the cache, and passes the page to `onPage`. */
export async function pullSearch(
  context: PullContext,
  query: SearchQuery,
  onPage: (page: SearchPage) => void,
): Promise<PullResult> {
  return pull(context, searchPolls, { query }, async (page) => {
    await putPolls(context.db, page.data);
    onPage(page);
  });
}

/**
 * Loads one poll, or removes it from the cache if the server does not show it. Two kinds of polls stay in the cache nevertheless:
 * removed polls, which remain in their maker's list, and polls that the user has hidden by a report or a block, whose card offers
 * Undo.
 */
export async function pullPoll(context: PullContext, pollId: string): Promise<PullResult> {
  const result = await pull(context, readPoll, { params: { id: pollId } }, (poll) =>
    putPolls(context.db, [poll]),
  );
  if (result === 'gone' && !(await isKept(context.db, pollId))) await dropPolls(context.db, [pollId]);
  return result;
}

async function isKept(db: UserDb, pollId: string): Promise<boolean> {
  const poll = await db.polls.get(pollId);
  if (poll === undefined) return false;
  if (poll.removedFor !== undefined) return true;
  const ops = await db.ops.orderBy('seq').toArray();
  return hiddenViewOf(poll, await readHidden(db, ops)) !== null;
}

/** Loads the users whom the user has blocked. */
export async function pullBlocks(context: PullContext): Promise<PullResult> {
  const startedAt = context.clock.now();
  return pull(context, listBlocks, {}, ({ blocks }) => putBlocks(context.db, blocks, startedAt));
}
