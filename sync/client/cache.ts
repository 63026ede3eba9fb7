import type { EntityTable } from 'dexie';
import type { User } from '#shared/auth/schema.ts';
import type { FeedPage, MutationAnswer, Poll } from '#shared/polls/schema.ts';
import type { Op } from '#sync/protocol/op.ts';
import type { ListEntry, UserDb } from './db.ts';

/** Rows of polls beyond this number that no list and no op refers to are let go. */
const POLLS_KEPT = 600;
/** A read that starts this long after a poll was acknowledged has to know it. */
const READ_AFTER_ACK_MS = 2_000;

/**
 * `incoming` as it may be stored over `cached`: never an older revision, and never without a vote of one's own
 * that the server has confirmed before.
 */
export function mergePoll(cached: Poll | undefined, incoming: Poll): Poll {
  if (cached === undefined) return incoming;
  if (incoming.rev < cached.rev) return cached;
  if (incoming.votes.length > 0 || cached.votes.length === 0) return incoming;
  return { ...incoming, votes: cached.votes, results: incoming.results ?? cached.results };
}

async function putPolls(db: UserDb, polls: readonly Poll[]): Promise<void> {
  const cached = await db.polls.bulkGet(polls.map((poll) => poll.id));
  await db.polls.bulkPut(polls.map((poll, index) => mergePoll(cached[index], poll)));
}

/** Stores the user unless the cache holds a newer revision. */
export async function putUser(db: UserDb, user: User): Promise<void> {
  await db.transaction('rw', db.user, async () => {
    const cached = await db.user.get(user.id);
    if (cached === undefined || user.rev >= cached.rev) await db.user.put(user);
  });
}

/** Stores one poll. */
export async function putPoll(db: UserDb, poll: Poll): Promise<void> {
  await db.transaction('rw', db.polls, () => putPolls(db, [poll]));
}

/** Forgets a poll that is gone on the server. */
export async function dropPoll(db: UserDb, pollId: string): Promise<void> {
  await db.transaction('rw', db.polls, db.feed, db.mine, db.trending, async () => {
    await Promise.all([
      db.polls.delete(pollId),
      db.feed.delete(pollId),
      db.mine.delete(pollId),
      db.trending.delete(pollId),
    ]);
  });
}

/**
 * Replaces a list by what a read that started at `startedAt` brought. A poll of one's own that was acknowledged later
 * than that (or just before, since reads are buffered on the server) keeps its place at the top.
 */
async function replaceList(
  list: EntityTable<ListEntry, 'pollId'>,
  polls: readonly Poll[],
  startedAt: number,
): Promise<void> {
  const known = new Set(polls.map((poll) => poll.id));
  const newer = (await list.orderBy('position').toArray()).filter(
    ({ pollId, ackedAt }) =>
      ackedAt !== undefined && startedAt < ackedAt + READ_AFTER_ACK_MS && !known.has(pollId),
  );
  await list.clear();
  await list.bulkPut(newer.map((entry, index) => ({ ...entry, position: index - newer.length })));
  await list.bulkPut(polls.map((poll, position) => ({ pollId: poll.id, position })));
}

async function putFirst(
  list: EntityTable<ListEntry, 'pollId'>,
  pollId: string,
  ackedAt: number,
): Promise<void> {
  if ((await list.get(pollId)) !== undefined) return;
  const first = await list.orderBy('position').first();
  await list.put({ pollId, position: (first?.position ?? 0) - 1, ackedAt });
}

/** Replaces `mine` or `trending` by what a read that started at `startedAt` brought. */
export async function putList(
  db: UserDb,
  list: 'mine' | 'trending',
  polls: readonly Poll[],
  startedAt: number,
): Promise<void> {
  await db.transaction('rw', db.polls, db[list], db.listMeta, async () => {
    await putPolls(db, polls);
    await replaceList(db[list], polls, startedAt);
    await db.listMeta.put({ list, fetchedAt: startedAt, etag: null, nextCursor: null, hasMore: false });
  });
}

/** Replaces the stored feed by its first page. */
export async function putFirstPage(
  db: UserDb,
  page: FeedPage,
  options: { etag: string | null; startedAt: number },
): Promise<void> {
  await db.transaction('rw', [db.polls, db.feed, db.mine, db.trending, db.ops, db.listMeta], async () => {
    await putPolls(db, page.data);
    await replaceList(db.feed, page.data, options.startedAt);
    await collectGarbage(db);
    const { nextCursor, hasMore } = page.pagination;
    await db.listMeta.put({
      list: 'feed',
      fetchedAt: options.startedAt,
      etag: options.etag,
      nextCursor,
      hasMore,
    });
  });
}

/**
 * Appends the page that `cursor` asked for, without repeating a poll. A page that was asked for before the
 * list was replaced is dropped: it would leave a gap.
 */
export async function appendPage(db: UserDb, page: FeedPage, cursor: string | null): Promise<void> {
  await db.transaction('rw', db.polls, db.feed, db.listMeta, async () => {
    const meta = await db.listMeta.get('feed');
    if (meta === undefined || meta.nextCursor !== cursor) return;
    await putPolls(db, page.data);
    const known = new Set(await db.feed.toCollection().primaryKeys());
    const last = await db.feed.orderBy('position').last();
    const next = (last?.position ?? -1) + 1;
    const fresh = page.data.filter((poll) => !known.has(poll.id));
    await db.feed.bulkPut(fresh.map((poll, index) => ({ pollId: poll.id, position: next + index })));
    const { nextCursor, hasMore } = page.pagination;
    await db.listMeta.put({ ...meta, nextCursor, hasMore });
  });
}

async function collectGarbage(db: UserDb): Promise<void> {
  if ((await db.polls.count()) <= POLLS_KEPT) return;
  const [feed, mine, trending, ops] = await Promise.all([
    db.feed.toCollection().primaryKeys(),
    db.mine.toCollection().primaryKeys(),
    db.trending.toCollection().primaryKeys(),
    db.ops.toArray(),
  ]);
  const kept = new Set([...feed, ...mine, ...trending, ...ops.map((op) => op.entityId)]);
  await db.polls.filter((poll) => !kept.has(poll.id)).delete();
}

/**
 * Takes an op out of the queue in the transaction that stores the server's answer to it, at `nowMs`. Returns false when
 * the op had left the queue before (another tab got the same answer).
 */
export async function settleApplied(
  db: UserDb,
  op: Op,
  answer: MutationAnswer,
  nowMs: number,
): Promise<boolean> {
  const tables = [db.ops, db.opBlobs, db.polls, db.user, db.feed, db.mine, db.trending, db.listMeta];
  return db.transaction('rw', tables, async () => {
    await putUser(db, answer.user);
    if (answer.poll === null) {
      await dropPoll(db, op.entityId);
    } else {
      await putPolls(db, [answer.poll]);
      if (op.type === 'createPoll') {
        await putFirst(db.mine, answer.poll.id, nowMs);
        if (answer.poll.active) await putFirst(db.feed, answer.poll.id, nowMs);
      }
    }
    const removed = await db.ops.where('opId').equals(op.opId).delete();
    await db.opBlobs.where('opId').equals(op.opId).delete();
    return removed > 0;
  });
}
