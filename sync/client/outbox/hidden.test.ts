import { beforeEach, describe, expect, test } from 'vitest';
import type { Poll } from '#shared/polls/schema.ts';
import { DAY_MS } from '#shared/time.ts';
import { putBlocks } from '#sync/client/cache/cache.ts';
import { appendDeck, putDeck } from '#sync/client/cache/cached-deck.ts';
import { appendFeed, keepUnchangedFeed, putFeed, putList } from '#sync/client/cache/cached-lists.ts';
import { readBlockedUsers, readPollsTab } from '#sync/client/cache/reads.ts';
import type { UserDb } from '#sync/client/db.ts';
import { makerKey, pollKey } from '#sync/operations/visibility-change.ts';
import { OTHER_POLL_ID, POLL_ID, samplePoll } from '#sync/testing/samples.ts';
import { freshUserDb } from '#sync/testing/user-db.ts';
import { queueOp } from './outbox.ts';

/**
 * When this device learned that the reports and the block took effect. A read that started in this millisecond may have started
 * before.
 */
const ACKED_AT_MS = 1_700_000_000_000;
const LATER_MS = ACKED_AT_MS + 1;
const HIDDEN = { isHidden: true, ackedAt: ACKED_AT_MS } as const;

let db: UserDb;
let userId: number;
beforeEach(async () => {
  ({ db, userId } = await freshUserDb());
});

const pageOf = (polls: Poll[], nextCursor: string | null = null) => ({
  data: polls,
  pagination: { limit: 24, offset: 0, hasMore: nextCursor !== null, nextCursor },
});
const putPage = (polls: Poll[], startedAt: number, nextCursor: string | null = null) =>
  putFeed(db, pageOf(polls, nextCursor), { etag: '"1"', startedAt });
const hiddenKeys = () => db.hidden.toCollection().primaryKeys();
const REPORTED_KEY = pollKey(POLL_ID);
const BLOCKED_KEY = makerKey('Mara.Lind');

describe('a poll that the server lists again', () => {
  beforeEach(async () => {
    await db.hidden.bulkPut([
      { ...HIDDEN, key: REPORTED_KEY, reason: 'spam' },
      { ...HIDDEN, key: BLOCKED_KEY, username: 'mara.lind' },
      { ...HIDDEN, key: pollKey(OTHER_POLL_ID), reason: 'spam' },
    ]);
  });

  const reads: [string, (startedAt: number) => Promise<void>][] = [
    ['page 1', (startedAt) => putPage([samplePoll()], startedAt)],
    ['the trending polls', (startedAt) => putList(db, 'trending', [samplePoll()], startedAt)],
    [
      'a further page',
      async (startedAt) => {
        await putPage([], ACKED_AT_MS, 'c1');
        await appendFeed(db, pageOf([samplePoll()]), { cursor: 'c1', startedAt });
      },
    ],
    [
      'an unchanged page 1',
      async (startedAt) => {
        await putPage([samplePoll()], ACKED_AT_MS);
        await keepUnchangedFeed(db, startedAt);
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

  test.each(reads)('in %s is no longer hidden, and neither is its maker', async (_, read) => {
    await read(LATER_MS);
    expect(await hiddenKeys()).toEqual([pollKey(OTHER_POLL_ID)]);
  });

  test.each(reads)('in %s is no longer hidden, even after the clock was set back', async (_, read) => {
    await read(ACKED_AT_MS - DAY_MS);
    expect(await hiddenKeys()).toEqual([pollKey(OTHER_POLL_ID)]);
  });

  test.each(reads)(
    'in %s remains hidden if that read started before the acknowledgement',
    async (_, read) => {
      for (const startedAt of [ACKED_AT_MS - 1, ACKED_AT_MS]) {
        await read(startedAt);
        expect(await hiddenKeys()).toHaveLength(3);
      }
    },
  );

  test('remains hidden if the server is of the first release, which does not know reports', async () => {
    const { shareUrl: _, ...poll } = samplePoll();
    await putPage([poll], LATER_MS);
    expect(await hiddenKeys()).toHaveLength(3);
    expect((await readPollsTab(db, LATER_MS)).latest).toEqual([]);
  });

  test('is shown again after a read that started later', async () => {
    await putPage([samplePoll()], ACKED_AT_MS);
    expect((await readPollsTab(db, LATER_MS)).latest).toEqual([]);
    await putPage([samplePoll()], LATER_MS);
    expect((await readPollsTab(db, LATER_MS)).latest).toHaveLength(1);
  });

  test('is no longer hidden even if its maker has deleted their account', async () => {
    await putPage([samplePoll({ user: null })], LATER_MS);
    expect(await hiddenKeys()).not.toContain(REPORTED_KEY);
    expect(await hiddenKeys()).toContain(BLOCKED_KEY);
  });
});

test('a hidden poll on a later page remains hidden if page 1 is unchanged', async () => {
  await putPage([], ACKED_AT_MS, 'c1');
  await db.polls.put(samplePoll());
  await db.feed.put({ pollId: POLL_ID, position: 24 });
  await db.hidden.put({ ...HIDDEN, key: REPORTED_KEY, reason: 'spam' });
  await keepUnchangedFeed(db, LATER_MS);
  expect(await hiddenKeys()).toEqual([REPORTED_KEY]);
});

test('a user whom another device has unblocked is not listed as blocked after the next read', async () => {
  // By the server's clock, which may be ahead of this device's. Only the time of the read matters.
  const blockedAt = new Date(ACKED_AT_MS + 3_600_000).toISOString();
  await putBlocks(db, [{ username: 'mara.lind', blockedAt }], ACKED_AT_MS);
  expect(await readBlockedUsers(db)).toEqual([{ username: 'mara.lind', state: 'confirmed' }]);
  await putBlocks(db, [], LATER_MS);
  expect(await readBlockedUsers(db)).toEqual([]);
});

test.each([
  ['is kept after a read that started before the acknowledgement', 1, 1],
  ['is kept after a read that started in the millisecond of the acknowledgement', 0, 1],
  ['is removed by a later read, even if the clock was set back', DAY_MS, 0],
])('a block by this device %s', async (_case, readEarlierByMs, count) => {
  await db.hidden.put({ ...HIDDEN, key: BLOCKED_KEY, username: 'mara.lind' });
  await putBlocks(db, [], ACKED_AT_MS - readEarlierByMs);
  expect(await readBlockedUsers(db)).toHaveLength(count);
});

test('a block counts as unsent, not as waiting, while it needs a decision of the user', async () => {
  await queueOp(db, userId, { type: 'block', payload: { username: 'mara.lind' } }, ACKED_AT_MS);
  expect(await readBlockedUsers(db)).toEqual([{ username: 'mara.lind', state: 'waiting' }]);
  await db.ops.toCollection().modify({ state: 'needs_attention' });
  expect(await readBlockedUsers(db)).toEqual([{ username: 'mara.lind', state: 'unsent' }]);
});
