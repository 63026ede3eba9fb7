import type { EntityTable, Table } from 'dexie';
import { FEED_PAGE_SIZE } from '#shared/polls/constants.ts';
import type { FeedPage, Poll } from '#shared/polls/schema.ts';
import type { ListEntry, ListMeta, UserDb } from '#sync/client/db.ts';
import { hasPassed } from '#sync/client/has-passed.ts';
import { confirmShown } from '#sync/client/outbox/hidden.ts';
import { PULL_TIMEOUT_MS } from '#sync/client/timeout.ts';
import { listMetaOf, putPolls } from './cache.ts';
import { markFirstPageFresh } from './stale-polls.ts';

/** If more polls than this are cached, polls that no list and no op refers to are deleted. */
const CACHED_POLLS_MAX = 600;
/** How many polls of the feed are kept when the server responds that page 1 is unchanged: ten pages. */
const FEED_POLLS_MAX = 10 * FEED_PAGE_SIZE;
/**
 * A read that starts this long after the acknowledgement of a poll contains the poll. An earlier read may get a list from the
 * server's cache.
 */
const READ_AFTER_ACK_MS = 2_000;

/**
 * Whether a read that started at `startedAt` contains a poll that was acknowledged at `ackedAt`. A poll acknowledged later than
 * the read can have ended was stored before the device's clock was set back, and counts as contained, too.
 */
function isContained(ackedAt: number, startedAt: number): boolean {
  return hasPassed(ackedAt + READ_AFTER_ACK_MS, startedAt, PULL_TIMEOUT_MS);
}

/**
 * Replaces a list with the result of a read that started at `startedAt`. The user's own polls that were acknowledged too late
 * to be in that result stay at the top.
 */
async function replaceList(
  list: EntityTable<ListEntry, 'pollId'>,
  polls: readonly Poll[],
  startedAt: number,
): Promise<void> {
  const listedIds = new Set(polls.map((poll) => poll.id));
  const newerEntries = (await list.orderBy('position').toArray()).filter(
    ({ pollId, ackedAt }) =>
      ackedAt !== undefined && !isContained(ackedAt, startedAt) && !listedIds.has(pollId),
  );
  await list.clear();
  await list.bulkPut([
    ...newerEntries.map((entry, index) => ({ ...entry, position: index - newerEntries.length })),
    ...polls.map((poll, position) => ({ pollId: poll.id, position })),
  ]);
}

/** The tables that a change of the feed reads or writes, including those that may refer to a poll that is to be deleted. */
function feedTables(db: UserDb): Table[] {
  return [db.polls, db.feed, db.mine, db.trending, db.deck, db.ops, db.listMeta, db.hidden];
}

/** Puts the user's own poll, acknowledged at `ackedAt`, at the top of a list unless the list contains it already. */
export async function putFirst(
  list: EntityTable<ListEntry, 'pollId'>,
  pollId: string,
  ackedAt: number,
): Promise<void> {
  if ((await list.get(pollId)) !== undefined) return;
  const first = await list.orderBy('position').first();
  await list.put({ pollId, position: (first?.position ?? 0) - 1, ackedAt });
}

/** Replaces `mine` or `trending` with the result of a read that started at `startedAt`. */
export async function putList(
  db: UserDb,
  list: 'mine' | 'trending',
  polls: readonly Poll[],
  startedAt: number,
): Promise<void> {
  await db.transaction('rw', db.polls, db[list], db.listMeta, db.hidden, async () => {
    await putPolls(db, polls);
    await confirmShown(db, polls, startedAt);
    await replaceList(db[list], polls, startedAt);
    await db.listMeta.put(listMetaOf(list, startedAt, null));
  });
}

/** Replaces the stored feed with its first page. */
export async function putFeed(
  db: UserDb,
  page: FeedPage,
  { etag, buildId, startedAt }: Pick<ListMeta, 'etag' | 'buildId'> & { startedAt: number },
): Promise<void> {
  await db.transaction('rw', feedTables(db), async () => {
    await putPolls(db, page.data);
    await confirmShown(db, page.data, startedAt);
    await replaceList(db.feed, page.data, startedAt);
    await collectGarbage(db);
    const { nextCursor, hasMore } = page.pagination;
    await db.listMeta.put({ list: 'feed', fetchedAt: startedAt, etag, buildId, nextCursor, hasMore });
  });
}

/**
 * Appends the page requested with `cursor` at `startedAt`, without the polls that the feed already contains. A page requested
 * before page 1 was replaced is dropped, since it would leave a gap.
 */
export async function appendFeed(
  db: UserDb,
  page: FeedPage,
  { cursor, startedAt }: { cursor: string | null; startedAt: number },
): Promise<void> {
  await db.transaction('rw', db.polls, db.feed, db.listMeta, db.hidden, async () => {
    const meta = await db.listMeta.get('feed');
    if (meta === undefined || meta.nextCursor !== cursor) return;
    await putPolls(db, page.data);
    await confirmShown(db, page.data, startedAt);
    const storedIds = new Set(await db.feed.toCollection().primaryKeys());
    const last = await db.feed.orderBy('position').last();
    const start = (last?.position ?? -1) + 1;
    const newPolls = page.data.filter((poll) => !storedIds.has(poll.id));
    await db.feed.bulkPut(newPolls.map((poll, index) => ({ pollId: poll.id, position: start + index })));
    const { nextCursor, hasMore } = page.pagination;
    await db.listMeta.put({ ...meta, nextCursor, hasMore });
  });
}

/**
 * Keeps the first `maxLength` polls of the stored feed after a 304 to a request sent at `startedAt`. Removes the user's own new
 * polls that page 1 should contain by now but does not.
 */
export async function keepUnchangedFeed(
  db: UserDb,
  startedAt: number,
  maxLength = FEED_POLLS_MAX,
): Promise<void> {
  await db.transaction('rw', feedTables(db), async () => {
    const meta = await db.listMeta.get('feed');
    if (meta === undefined) return;
    await db.listMeta.put({ ...meta, fetchedAt: startedAt });
    const polls = await db.polls.bulkGet(await markFirstPageFresh(db));
    await confirmShown(
      db,
      polls.filter((poll) => poll !== undefined),
      startedAt,
    );
    await db.feed.filter(({ ackedAt }) => ackedAt !== undefined && isContained(ackedAt, startedAt)).delete();
    await trimFeed(db, maxLength);
  });
}

/** Shortens the feed to `maxLength` polls and deletes the others unless another list or an op refers to them. */
export async function trimFeed(db: UserDb, maxLength: number): Promise<void> {
  await db.transaction('rw', feedTables(db), async () => {
    const trimmedIds = await db.feed.orderBy('position').offset(maxLength).primaryKeys();
    const meta = await db.listMeta.get('feed');
    if (trimmedIds.length === 0 || meta === undefined) return;
    await db.feed.bulkDelete(trimmedIds);
    // Without a cursor the next page is requested by offset.
    await db.listMeta.put({ ...meta, nextCursor: null, hasMore: true });
    const referencedIds = await findReferencedPolls(db);
    await db.polls.bulkDelete(trimmedIds.filter((id) => !referencedIds.has(id)));
  });
}

/** Deletes polls that no list and no op refers to, if there are too many. */
async function collectGarbage(db: UserDb): Promise<void> {
  if ((await db.polls.count()) <= CACHED_POLLS_MAX) return;
  const referencedIds = await findReferencedPolls(db);
  await db.polls.filter((poll) => !referencedIds.has(poll.id)).delete();
}

/** Finds the ids of the polls that a list or an op refers to. */
async function findReferencedPolls(db: UserDb): Promise<ReadonlySet<string>> {
  const lists = [db.feed, db.mine, db.trending, db.deck];
  const ids = await Promise.all(lists.map((list) => list.toCollection().primaryKeys()));
  const ops = await db.ops.toArray();
  return new Set([...ids.flat(), ...ops.map((op) => op.entityId)]);
}
