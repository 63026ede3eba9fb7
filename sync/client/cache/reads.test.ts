import { describe, expect, test } from 'vitest';
import { queuePoll } from '#sync/client/outbox/outbox.ts';
import { queueVote } from '#sync/testing/queue-vote.ts';
import { OTHER_POLL_ID, POLL_ID, sampleDraft, samplePoll, sampleUser } from '#sync/testing/samples.ts';
import { freshUserDb } from '#sync/testing/user-db.ts';
import { putPolls } from './cache.ts';
import { putFirst } from './cached-lists.ts';
import {
  countOutbox,
  readLocalImages,
  readOutbox,
  readOutboxItems,
  readOwnPolls,
  readPoints,
  readPoll,
  readPollsTab,
  readReferralPoints,
} from './reads.ts';

const NOW_MS = Date.parse('2023-11-15T00:00:00Z');

test('a poll that is both cached and waiting is shown once', async () => {
  const { db, userId } = await freshUserDb(50);
  const pollId = await queuePoll(db, userId, sampleDraft(), NOW_MS);
  expect((await readOwnPolls(db, NOW_MS)).polls.map((view) => view.createOp?.entityId)).toEqual([pollId]);

  await putPolls(db, [samplePoll({ id: pollId, isMine: true })]);
  for (const list of [db.mine, db.feed]) await putFirst(list, pollId, NOW_MS);
  expect((await readOwnPolls(db, NOW_MS)).polls.map(({ poll }) => poll.id)).toEqual([pollId]);
  expect((await readPollsTab(db, NOW_MS)).latest.map(({ poll }) => poll.id)).toEqual([pollId]);
});

test('the outbox counts ops that need a decision and ops that wait', async () => {
  const { db, userId } = await freshUserDb(50);
  const vote = (pollId: string) => queueVote(db, { userId, pollId, option: 1 }, NOW_MS);
  for (const id of ['a', 'b', 'c', 'd']) await vote(id);
  await db.ops.where('entityId').equals('a').modify({ state: 'rejected' });
  await db.ops.where('entityId').equals('b').modify({ state: 'needs_attention' });
  await db.ops.where('entityId').equals('c').modify({ state: 'sending' });
  expect(await countOutbox(db)).toEqual({ needsDecision: 2, waiting: 2 });
});

test('waiting polls are shown above the others, newest first', async () => {
  const { db, userId } = await freshUserDb(50);
  const olderId = await queuePoll(db, userId, sampleDraft(), NOW_MS);
  const newerId = await queuePoll(db, userId, sampleDraft(), NOW_MS);
  await queueVote(db, { userId, pollId: POLL_ID, option: 2 }, NOW_MS);
  await putPolls(db, [samplePoll()]);
  for (const list of [db.mine, db.feed]) await putFirst(list, POLL_ID, NOW_MS);
  const { latest } = await readPollsTab(db, NOW_MS);
  expect(latest.map(({ poll, vote }) => [poll.id, vote])).toEqual([
    [newerId, null],
    [olderId, null],
    [POLL_ID, 2],
  ]);
  expect((await readOwnPolls(db, NOW_MS)).polls).toEqual(latest);
});

test('the own polls contain neither refused polls nor waiting polls of a user who is not cached', async () => {
  const { db, userId } = await freshUserDb(50);
  await queuePoll(db, userId, sampleDraft(), NOW_MS);
  await db.user.clear();
  expect((await readOwnPolls(db, NOW_MS)).polls).toEqual([]);
  await db.user.put(sampleUser({ id: userId }));
  expect((await readOwnPolls(db, NOW_MS)).polls).toHaveLength(1);
  await db.ops.toCollection().modify({ state: 'rejected' });
  expect((await readOwnPolls(db, NOW_MS)).polls).toEqual([]);
});

test('a vote on a poll that is not cached appears in no list', async () => {
  const { db, userId } = await freshUserDb();
  await queueVote(db, { userId, pollId: POLL_ID, option: 1 }, NOW_MS);
  expect((await readPollsTab(db, NOW_MS)).latest).toEqual([]);
  expect(await readPoll(db, POLL_ID, NOW_MS)).toBeNull();
});

test('a list has no metadata before it is pulled', async () => {
  const { db } = await freshUserDb();
  expect(await readPollsTab(db, NOW_MS)).toEqual({ trending: [], latest: [], meta: null });
  expect(await readOwnPolls(db, NOW_MS)).toEqual({ polls: [], meta: null });
  const meta = { fetchedAt: NOW_MS, etag: null, nextCursor: null, hasMore: false };
  await db.listMeta.bulkPut([
    { ...meta, list: 'feed' },
    { ...meta, list: 'mine' },
  ]);
  expect((await readPollsTab(db, NOW_MS)).meta).toEqual({ ...meta, list: 'feed' });
  expect((await readOwnPolls(db, NOW_MS)).meta).toEqual({ ...meta, list: 'mine' });
});

test('a list omits polls that are not cached', async () => {
  const { db } = await freshUserDb();
  await db.feed.put({ pollId: POLL_ID, position: 0 });
  expect((await readPollsTab(db, NOW_MS)).latest).toEqual([]);
});

describe('a single poll', () => {
  test('is read from the cache with its waiting ops', async () => {
    const { db, userId } = await freshUserDb();
    await putPolls(db, [samplePoll()]);
    await queueVote(db, { userId, pollId: POLL_ID, option: 2 }, NOW_MS);
    expect(await readPoll(db, POLL_ID, NOW_MS)).toMatchObject({ poll: samplePoll(), vote: 2 });
  });

  test('is read from the outbox while it waits to be sent', async () => {
    const { db, userId } = await freshUserDb();
    const pollId = await queuePoll(db, userId, sampleDraft(), NOW_MS);
    expect(await readPoll(db, pollId, NOW_MS)).toMatchObject({ createOp: { entityId: pollId } });
    expect(await readPoll(db, POLL_ID, NOW_MS)).toBeNull();
  });
});

test('the points include waiting ops, and the referral points do not', async () => {
  const { db, userId } = await freshUserDb(50);
  await db.user.update(userId, { referralPoints: 15 });
  await queueVote(db, { userId, pollId: POLL_ID, option: 1 }, NOW_MS);
  expect(await readPoints(db)).toMatchObject({ confirmed: 50, pendingEarned: 1 });
  expect(await readReferralPoints(db)).toBe(15);
  await db.user.clear();
  expect(await readPoints(db)).toBeNull();
  expect(await readReferralPoints(db)).toBeUndefined();
});

test('the images of a waiting poll are keyed by option', async () => {
  const { db, userId } = await freshUserDb(50);
  const draft = sampleDraft();
  await queuePoll(db, userId, draft, NOW_MS);
  const [op] = await db.ops.toArray();
  // `toEqual` does not compare the bytes of an `ArrayBuffer`.
  expect(await readLocalImages(db, op?.opId ?? '')).toStrictEqual({ 1: draft.images[0], 2: draft.images[1] });
  expect(await readLocalImages(db, 'another')).toEqual({});
});

test('the outbox lists ops in order, each with its poll if that is cached', async () => {
  const { db, userId } = await freshUserDb(50);
  await putPolls(db, [samplePoll()]);
  for (const pollId of [OTHER_POLL_ID, POLL_ID, 'a']) {
    await queueVote(db, { userId, pollId, option: 1 }, NOW_MS);
  }
  await db.ops.where('entityId').equals('a').modify({ state: 'rejected' });
  const items = await readOutboxItems(db);
  expect(items.waiting.map(({ op, poll }) => [op.entityId, poll])).toEqual([
    [OTHER_POLL_ID, null],
    [POLL_ID, samplePoll()],
  ]);
  expect(items.needsDecision.map(({ op, poll }) => [op.entityId, poll])).toEqual([['a', null]]);
  expect(await readOutbox(db)).toEqual({
    waiting: items.waiting.map(({ op }) => op),
    needsDecision: items.needsDecision.map(({ op }) => op),
  });
});
