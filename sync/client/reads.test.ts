import { expect, test } from 'vitest';
import { sampleDraft, samplePoll, sampleUser } from '#sync/testing/samples.ts';
import { freshUserDb } from '#sync/testing/user-db.ts';
import { putPoll } from './cache.ts';
import { putFirst } from './cached-lists.ts';
import { queuePoll, queueVote } from './outbox.ts';
import { countOutbox, readFeed, readMine } from './reads.ts';

const NOW_MS = Date.parse('2023-11-15T00:00:00Z');

test('a poll whose acknowledgement was lost is shown once when a read brings it', async () => {
  const { db, userId } = await freshUserDb(50);
  await db.user.put(sampleUser({ id: userId }));
  const pollId = await queuePoll(db, userId, sampleDraft(), NOW_MS);
  expect((await readMine(db, NOW_MS)).polls.map((view) => view.createOp?.entityId)).toEqual([pollId]);

  await putPoll(db, samplePoll({ id: pollId, isMine: true }));
  for (const list of [db.mine, db.feed]) await putFirst(list, pollId, NOW_MS);
  expect((await readMine(db, NOW_MS)).polls.map(({ poll }) => poll.id)).toEqual([pollId]);
  expect((await readFeed(db, NOW_MS)).latest.map(({ poll }) => poll.id)).toEqual([pollId]);
});

test('the outbox is counted by what needs the person and what waits', async () => {
  const { db, userId } = await freshUserDb(50);
  const vote = (pollId: string) => queueVote(db, { userId, pollId, option: 1 }, NOW_MS);
  for (const id of ['a', 'b', 'c', 'd']) await vote(id);
  await db.ops.where('entityId').equals('a').modify({ state: 'rejected' });
  await db.ops.where('entityId').equals('b').modify({ state: 'needs_attention' });
  await db.ops.where('entityId').equals('c').modify({ state: 'sending' });
  expect(await countOutbox(db)).toEqual({ needsYou: 2, waiting: 2 });
});
