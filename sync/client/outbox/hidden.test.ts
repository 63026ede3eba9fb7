import { beforeEach, describe, expect, test } from 'vitest';
import type { Poll } from '#shared/polls/schema.ts';
import { DAY_MS } from '#shared/time.ts';
import { putBlocks } from '#sync/client/cache/cache.ts';
import { appendDeck, putDeck } from '#sync/client/cache/cached-deck.ts';
import { appendPage, keepFirstPage, putFirstPage, putList } from '#sync/client/cache/cached-lists.ts';
import { readBlockedUsers, readFeed } from '#sync/client/cache/reads.ts';
import type { UserDb } from '#sync/client/db.ts';
import { makerKey, pollKey } from '#sync/operations/visibility-change.ts';
import { OTHER_POLL_ID, POLL_ID, samplePoll } from '#sync/testing/samples.ts';
import { freshUserDb } from '#sync/testing/user-db.ts';

/** When the server acknowledged the reports and the block. */
const ACKED_AT = 1_700_000_000_000;
const LATER = ACKED_AT + 1;
const HIDDEN = { isHidden: true, ackedAt: ACKED_AT } as const;

let db: UserDb;
beforeEach(async () => {
  ({ db } = await freshUserDb());
});

const pageOf = (polls: Poll[], nextCursor: string | null = null) => ({
  data: polls,
  pagination: { limit: 24, offset: 0, hasMore: nextCursor !== null, nextCursor },
});
const putPage = (polls: Poll[], startedAt: number, nextCursor: string | null = null) =>
  putFirstPage(db, pageOf(polls, nextCursor), { etag: '"1"', startedAt });
const hidden = () => db.hidden.toCollection().primaryKeys();
const REPORTED = pollKey(POLL_ID);
const BLOCKED = makerKey('Mara.Lind');

describe('a poll that the server lists again', () => {
  beforeEach(async () => {
    await db.hidden.bulkPut([
      { ...HIDDEN, key: REPORTED, reason: 'spam' },
      { ...HIDDEN, key: BLOCKED, username: 'mara.lind' },
      { ...HIDDEN, key: pollKey(OTHER_POLL_ID), reason: 'spam' },
    ]);
  });

  const reads: [string, (startedAt: number) => Promise<void>][] = [
    ['page 1', (startedAt) => putPage([samplePoll()], startedAt)],
    ['the trending polls', (startedAt) => putList(db, 'trending', [samplePoll()], startedAt)],
    [
      'a further page',
      async (startedAt) => {
        await putPage([], ACKED_AT, 'c1');
        await appendPage(db, pageOf([samplePoll()]), { cursor: 'c1', startedAt });
      },
    ],
    [
      'an unchanged page 1',
      async (startedAt) => {
        await putPage([samplePoll()], ACKED_AT);
        await keepFirstPage(db, startedAt);
      },
    ],
    ['the deck', (startedAt) => putDeck(db, { data: [samplePoll()], nextCursor: null }, startedAt)],
    [
      'a further page of the deck',
      async (startedAt) => {
        await putDeck(db, { data: [], nextCursor: 'c1' }, startedAt);
        await appendDeck(db, { data: [samplePoll()], nextCursor: null }, 'c1');
      },
    ],
  ];

  test.each(reads)('in %s no longer counts as reported, nor its maker as blocked', async (_, read) => {
    await read(LATER);
    expect(await hidden()).toEqual([pollKey(OTHER_POLL_ID)]);
  });

  test.each(reads)(
    'in %s no longer counts as reported, even after the clock was set back',
    async (_, read) => {
      await read(ACKED_AT - DAY_MS);
      expect(await hidden()).toEqual([pollKey(OTHER_POLL_ID)]);
    },
  );

  test.each(reads)('in %s of a read from before the report remains hidden', async (_, read) => {
    await read(ACKED_AT);
    expect(await hidden()).toHaveLength(3);
  });

  test('remains hidden if an older server, which does not know reports, lists it', async () => {
    const { shareUrl: _, ...poll } = samplePoll();
    await putPage([poll], LATER);
    expect(await hidden()).toHaveLength(3);
    expect((await readFeed(db, LATER)).latest).toEqual([]);
  });

  test('is shown again', async () => {
    await putPage([samplePoll()], ACKED_AT);
    expect((await readFeed(db, LATER)).latest).toEqual([]);
    await putPage([samplePoll()], LATER);
    expect((await readFeed(db, LATER)).latest).toHaveLength(1);
  });

  test('without a maker no longer counts as reported', async () => {
    await putPage([samplePoll({ user: null })], LATER);
    expect(await hidden()).not.toContain(REPORTED);
    expect(await hidden()).toContain(BLOCKED);
  });
});

test('an unchanged page 1 does not affect hidden polls on later pages', async () => {
  await putPage([], ACKED_AT, 'c1');
  await db.polls.put(samplePoll());
  await db.feed.put({ pollId: POLL_ID, position: 24 });
  await db.hidden.put({ ...HIDDEN, key: REPORTED, reason: 'spam' });
  await keepFirstPage(db, LATER);
  expect(await hidden()).toEqual([REPORTED]);
});

test('a user whom another device has unblocked is shown as such after the next read, even if this clock is slow', async () => {
  const blockedAt = new Date(ACKED_AT + 3_600_000).toISOString();
  await putBlocks(db, [{ username: 'mara.lind', blockedAt }], ACKED_AT);
  expect(await readBlockedUsers(db)).toEqual([{ username: 'mara.lind', isWaiting: false }]);
  await putBlocks(db, [], LATER);
  expect(await readBlockedUsers(db)).toEqual([]);
});

test.each([
  ['is kept after a read that started before it', 0, 1],
  ['is removed after another device has unblocked the user, even if the clock was set back', DAY_MS, 0],
])('a block of this device %s', async (_what, putBackMs, count) => {
  await db.hidden.put({ ...HIDDEN, key: BLOCKED, username: 'mara.lind' });
  await putBlocks(db, [], ACKED_AT - putBackMs);
  expect(await readBlockedUsers(db)).toHaveLength(count);
});
