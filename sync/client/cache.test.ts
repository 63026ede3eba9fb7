import { beforeEach, describe, expect, test } from 'vitest';
import type { FeedPage, Poll } from '#shared/polls/schema.ts';
import type { CreatePollOp } from '#sync/protocol/op.ts';
import { OTHER_POLL_ID, POLL_ID, samplePoll, sampleUser } from '#sync/testing/samples.ts';
import { freshUserDb } from '#sync/testing/user-db.ts';
import { appendPage, mergePoll, putFirstPage, putList, putUser, settleApplied } from './cache.ts';
import type { UserDb } from './db.ts';
import { readFeed } from './reads.ts';

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

const firstPage = (polls: Poll[], cursor: string | null) =>
  putFirstPage(db, page(polls, cursor), { etag: '"1"', startedAt: NOW_MS });

describe('a poll that arrives again', () => {
  test('never replaces a newer revision', () => {
    const cached = samplePoll({ rev: 6, votesCount: 13 });
    expect(mergePoll(cached, samplePoll({ rev: 5 }))).toBe(cached);
    expect(mergePoll(cached, samplePoll({ rev: 6, status: 'expired' })).status).toBe('expired');
  });

  test('never un-sets a confirmed vote', () => {
    const cached = samplePoll({ votes: [{ option: 1 }], results: { option1: 7, option2: 6 } });
    expect(mergePoll(cached, samplePoll({ rev: 9 }))).toMatchObject({
      rev: 9,
      votes: [{ option: 1 }],
      results: { option1: 7, option2: 6 },
    });
  });
});

test('an older revision of the user never replaces a newer one', async () => {
  await putUser(db, sampleUser({ id: userId, points: 40, rev: 4 }));
  await putUser(db, sampleUser({ id: userId, points: 10, rev: 3 }));
  expect(await db.user.get(userId)).toMatchObject({ points: 40, rev: 4 });
});

describe('the feed', () => {
  test('a poll that moved to the next page is not shown twice', async () => {
    await firstPage([samplePoll()], 'c1');
    await appendPage(db, page([samplePoll(), samplePoll({ id: OTHER_POLL_ID })], null), 'c1');
    const { latest, meta } = await readFeed(db, NOW_MS);
    expect(latest.map((view) => view.poll.id)).toEqual([POLL_ID, OTHER_POLL_ID]);
    expect(meta?.hasMore).toBe(false);
  });

  test('a late page of a list that was replaced meanwhile is dropped', async () => {
    await firstPage([samplePoll()], 'c1');
    await firstPage([samplePoll()], 'c2');
    await appendPage(db, page([samplePoll({ id: OTHER_POLL_ID })], 'c3'), 'c1');
    expect(await db.feed.count()).toBe(1);
    expect((await db.listMeta.get('feed'))?.nextCursor).toBe('c2');
  });

  test('what is trending is left out of the latest', async () => {
    await firstPage([samplePoll(), samplePoll({ id: OTHER_POLL_ID })], null);
    await db.trending.put({ pollId: POLL_ID, position: 0 });
    const { trending, latest } = await readFeed(db, NOW_MS);
    expect(trending.map((view) => view.poll.id)).toEqual([POLL_ID]);
    expect(latest.map((view) => view.poll.id)).toEqual([OTHER_POLL_ID]);
  });
});

describe("a poll of one's own that was just acknowledged", () => {
  const op = { type: 'createPoll', opId: 'op-1', entityId: POLL_ID } as CreatePollOp;
  const answer = () => ({ poll: samplePoll({ isMine: true }), user: sampleUser({ id: userId }) });

  test('stays in the lists when a read arrives that started before', async () => {
    await settleApplied(db, op, answer(), 10_000);
    await putList(db, 'mine', [], 9_000);
    await putFirstPage(db, page([], null), { etag: null, startedAt: 9_000 });
    expect(await db.mine.count()).toBe(1);
    expect(await db.feed.count()).toBe(1);
  });

  test('goes when a later read does not know it', async () => {
    await settleApplied(db, op, answer(), 10_000);
    await putList(db, 'mine', [], 12_001);
    expect(await db.mine.count()).toBe(0);
  });
});
