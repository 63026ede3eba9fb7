import { beforeEach, describe, expect, test } from 'vitest';
import type { FeedPage, Poll } from '#shared/polls/schema.ts';
import { DAY_MS } from '#shared/time.ts';
import type { UserDb } from '#sync/client/db.ts';
import { queueVote } from '#sync/testing/queue-vote.ts';
import { OTHER_POLL_ID, POLL_ID, samplePoll } from '#sync/testing/samples.ts';
import { freshUserDb } from '#sync/testing/user-db.ts';
import { putPolls } from './cache.ts';
import { appendFeed, keepUnchangedFeed, putFeed, putFirst, putList, trimFeed } from './cached-lists.ts';
import { readPollsTab } from './reads.ts';

const NOW_MS = Date.parse('2023-11-15T00:00:00Z');
let db: UserDb;
let userId: number;

beforeEach(async () => {
  ({ db, userId } = await freshUserDb());
});

function page(polls: Poll[], nextCursor: string | null): FeedPage {
  const pagination = { limit: 24, offset: 0, hasMore: nextCursor !== null, nextCursor };
  return { data: polls, pagination };
}

const storeFirstPage = (polls: Poll[], cursor: string | null) =>
  putFeed(db, page(polls, cursor), { etag: '"1"', startedAt: NOW_MS });

describe('the feed', () => {
  test('shows a poll once if it moved to the next page between two requests', async () => {
    await storeFirstPage([samplePoll()], 'c1');
    await appendFeed(db, page([samplePoll(), samplePoll({ id: OTHER_POLL_ID })], null), {
      cursor: 'c1',
      startedAt: NOW_MS,
    });
    const { latest, meta } = await readPollsTab(db, NOW_MS);
    expect(latest.map((view) => view.poll.id)).toEqual([POLL_ID, OTHER_POLL_ID]);
    expect(meta?.hasMore).toBe(false);
  });

  test('does not get a page that was requested before page 1 was replaced', async () => {
    await storeFirstPage([samplePoll()], 'c1');
    await storeFirstPage([samplePoll()], 'c2');
    await appendFeed(db, page([samplePoll({ id: OTHER_POLL_ID })], 'c3'), {
      cursor: 'c1',
      startedAt: NOW_MS,
    });
    expect(await db.feed.count()).toBe(1);
    expect((await db.listMeta.get('feed'))?.nextCursor).toBe('c2');
  });

  test('does not show the trending polls again', async () => {
    await storeFirstPage([samplePoll(), samplePoll({ id: OTHER_POLL_ID })], null);
    await db.trending.put({ pollId: POLL_ID, position: 0 });
    const { trending, latest } = await readPollsTab(db, NOW_MS);
    expect(trending.map((view) => view.poll.id)).toEqual([POLL_ID]);
    expect(latest.map((view) => view.poll.id)).toEqual([OTHER_POLL_ID]);
  });

  test('is trimmed to ten pages when page 1 is unchanged', async () => {
    const ids = Array.from({ length: 250 }, (_, index) => `poll-${index}`);
    await storeFirstPage(
      ids.map((id) => samplePoll({ id })),
      'c11',
    );
    await keepUnchangedFeed(db, NOW_MS + 1_000);
    expect(await db.feed.count()).toBe(240);
    expect(await db.polls.count()).toBe(240);
    expect(await db.listMeta.get('feed')).toMatchObject({
      fetchedAt: NOW_MS + 1_000,
      etag: '"1"',
      nextCursor: null,
      hasMore: true,
    });
  });

  test('can be trimmed without deleting a poll that an op is about', async () => {
    await storeFirstPage([samplePoll(), samplePoll({ id: OTHER_POLL_ID })], null);
    await queueVote(db, { userId, pollId: OTHER_POLL_ID, option: 1 }, NOW_MS);
    await trimFeed(db, 0);
    expect(await db.feed.count()).toBe(0);
    expect(await db.polls.toCollection().primaryKeys()).toEqual([OTHER_POLL_ID]);
  });
});

describe('the next page of the feed', () => {
  const storeNextPage = (ids: string[], cursor: string | null) =>
    appendFeed(
      db,
      page(
        ids.map((id) => samplePoll({ id })),
        'c9',
      ),
      { cursor, startedAt: NOW_MS },
    );

  test('is appended after all other pages', async () => {
    await storeFirstPage([samplePoll(), samplePoll({ id: 'b' })], 'c1');
    await storeNextPage(['c', 'd'], 'c1');
    await storeNextPage(['e'], 'c9');
    const { latest, meta } = await readPollsTab(db, NOW_MS);
    expect(latest.map((view) => view.poll.id)).toEqual([POLL_ID, 'b', 'c', 'd', 'e']);
    expect(meta).toMatchObject({ fetchedAt: NOW_MS, etag: '"1"', nextCursor: 'c9', hasMore: true });
  });

  test('does not move polls that the feed already contains', async () => {
    await storeFirstPage([samplePoll(), samplePoll({ id: 'b' })], 'c1');
    await storeNextPage([POLL_ID, 'c'], 'c1');
    const { latest } = await readPollsTab(db, NOW_MS);
    expect(latest.map((view) => view.poll.id)).toEqual([POLL_ID, 'b', 'c']);
  });

  test('is stored even if page 1 was empty', async () => {
    await storeFirstPage([], 'c1');
    await storeNextPage([POLL_ID], 'c1');
    expect(await db.feed.toArray()).toEqual([{ pollId: POLL_ID, position: 0 }]);
  });

  test('is dropped if page 1 was never loaded', async () => {
    await storeNextPage([POLL_ID], null);
    expect(await db.feed.count()).toBe(0);
    expect(await db.listMeta.count()).toBe(0);
  });
});

describe('cached polls', () => {
  const putUnused = (count: number) =>
    db.polls.bulkPut(Array.from({ length: count }, (_, index) => samplePoll({ id: `unused-${index}` })));

  test('that no list and no op refers to are deleted once there are more than 600 polls', async () => {
    await queueVote(db, { userId, pollId: 'voted', option: 1 }, NOW_MS);
    await db.mine.put({ pollId: 'own', position: 0 });
    await db.trending.put({ pollId: 'trending', position: 0 });
    await db.deck.put({ pollId: 'card', position: 0 });
    await db.polls.bulkPut(['voted', 'own', 'trending', 'card'].map((id) => samplePoll({ id })));
    // Together with the four polls above, exactly the maximum.
    await putUnused(596);
    await storeFirstPage([samplePoll({ id: 'unused-0' })], null);
    expect(await db.polls.count()).toBe(600);
    await storeFirstPage([samplePoll()], null);
    const cachedIds = await db.polls.toCollection().primaryKeys();
    expect(cachedIds.toSorted()).toEqual([POLL_ID, 'card', 'own', 'trending', 'voted']);
  });

  test('are kept, even unused ones, if trimming removes nothing from the feed', async () => {
    await storeFirstPage([samplePoll()], 'c1');
    await putUnused(1);
    await trimFeed(db, 1);
    expect(await db.polls.count()).toBe(2);
    expect(await db.listMeta.get('feed')).toMatchObject({ nextCursor: 'c1' });
  });
});

test('neither a 304 nor trimming changes a feed that was never loaded', async () => {
  await keepUnchangedFeed(db, NOW_MS);
  await db.feed.put({ pollId: POLL_ID, position: 0 });
  await trimFeed(db, 0);
  expect(await db.feed.count()).toBe(1);
  expect(await db.listMeta.count()).toBe(0);
});

describe("a user's own poll that was just acknowledged", () => {
  const acknowledgePoll = async (atMs: number) => {
    await putPolls(db, [samplePoll({ isMine: true })]);
    await putFirst(db.mine, POLL_ID, atMs);
    await putFirst(db.feed, POLL_ID, atMs);
  };

  test('remains in the lists after a read that started before the acknowledgement', async () => {
    await acknowledgePoll(10_000);
    await putList(db, 'mine', [], 9_000);
    await putFeed(db, page([], null), { etag: null, startedAt: 9_000 });
    expect(await db.mine.count()).toBe(1);
    expect(await db.feed.count()).toBe(1);
  });

  test('is removed if a read that started 2 s later does not contain it', async () => {
    await acknowledgePoll(10_000);
    await putList(db, 'mine', [], 11_999);
    expect(await db.mine.count()).toBe(1);
    await putList(db, 'mine', [], 12_000);
    expect(await db.mine.count()).toBe(0);
  });

  test('is removed by a read after the clock was set back', async () => {
    await acknowledgePoll(10_000 + DAY_MS);
    await putList(db, 'mine', [], 10_000);
    await putFeed(db, page([], null), { etag: null, startedAt: 10_000 });
    expect(await db.mine.count()).toBe(0);
    expect(await db.feed.count()).toBe(0);
  });

  test('is listed once, above older polls', async () => {
    await putList(db, 'mine', [samplePoll({ id: 'a' }), samplePoll({ id: 'b' })], 0);
    for (const id of ['c', 'd', 'd', 'a']) await putFirst(db.mine, id, 10_000);
    const order = async () => (await db.mine.orderBy('position').toArray()).map(({ pollId }) => pollId);
    expect(await order()).toEqual(['d', 'c', 'a', 'b']);
    await putList(db, 'mine', [samplePoll({ id: 'b' }), samplePoll({ id: 'c' })], 9_000);
    expect(await order()).toEqual(['d', 'b', 'c']);
    await putFirst(db.mine, 'e', 10_000);
    await putList(db, 'mine', [samplePoll({ id: 'b' })], 9_000);
    expect(await order()).toEqual(['e', 'd', 'b']);
  });

  test('is removed if page 1, which should contain it, is unchanged', async () => {
    await storeFirstPage([samplePoll({ id: OTHER_POLL_ID })], null);
    await acknowledgePoll(10_000);
    await keepUnchangedFeed(db, 11_999);
    expect(await db.feed.count()).toBe(2);
    await keepUnchangedFeed(db, 12_000);
    expect(await db.feed.toArray()).toMatchObject([{ pollId: OTHER_POLL_ID }]);
  });

  test('is removed if page 1 is unchanged after the clock was set back', async () => {
    await storeFirstPage([samplePoll({ id: OTHER_POLL_ID })], null);
    await acknowledgePoll(10_000 + DAY_MS);
    await keepUnchangedFeed(db, 10_000);
    expect(await db.feed.toArray()).toMatchObject([{ pollId: OTHER_POLL_ID }]);
  });
});
