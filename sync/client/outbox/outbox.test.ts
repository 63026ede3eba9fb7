import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { readLocalImages, readOutboxItems } from '#sync/client/cache/reads.ts';
import type { UserDb } from '#sync/client/db.ts';
import { queueVote } from '#sync/testing/queue-vote.ts';
import { POLL_ID, sampleDraft, samplePoll } from '#sync/testing/samples.ts';
import { freshUserDb } from '#sync/testing/user-db.ts';
import { OutboxFullError, PollAlreadySentError, QUEUED_POLLS_MAX, queuePoll, requeueOp } from './outbox.ts';
import { markUnannounced, takeUnannounced } from './unannounced.ts';

let db: UserDb;
let userId: number;

beforeEach(async () => {
  ({ db, userId } = await freshUserDb(50));
});

const NOW_MS = 1_700_000_000_000;

afterEach(() => {
  vi.unstubAllGlobals();
});

async function onlyOp() {
  const ops = await db.ops.toArray();
  expect(ops).toHaveLength(1);
  const [op] = ops;
  if (op === undefined) throw new Error('no op');
  return op;
}

async function refusedPoll(code: 'insufficient_points' | 'id_taken' = 'insufficient_points') {
  await queuePoll(db, userId, sampleDraft(), NOW_MS);
  const lastError = { status: 402, code, message: '' };
  await db.ops.toCollection().modify({ state: 'rejected', attempts: 1, lastError });
  return onlyOp();
}

describe('a refused poll that is edited', () => {
  test('is replaced under a new key and the same poll id', async () => {
    const refused = await refusedPoll();
    const edited = sampleDraft({ question: 'Beach?', responsesWanted: 12 });
    const pollId = await queuePoll(db, userId, edited, NOW_MS + 1, { replacesOpId: refused.opId });
    const op = await onlyOp();
    expect(op).toMatchObject({ state: 'queued', attempts: 0, lastError: null, entityId: refused.entityId });
    expect(op.payload).toMatchObject({ pollId, question: 'Beach?', responsesWanted: 12 });
    expect(op.opId).not.toBe(refused.opId);
    expect(await readLocalImages(db, refused.opId)).toEqual({});
    expect(await readLocalImages(db, op.opId)).toMatchObject({ 1: { width: 4, height: 3 } });
    expect(await db.opBlobs.count()).toBe(2);
  });

  test('gets a new poll id if the old one was taken', async () => {
    const refused = await refusedPoll('id_taken');
    const pollId = await queuePoll(db, userId, sampleDraft(), NOW_MS, { replacesOpId: refused.opId });
    expect(pollId).not.toBe(refused.entityId);
    expect(await onlyOp()).toMatchObject({ entityId: pollId, payload: { pollId } });
  });

  test('remains unchanged if the edited poll cannot be stored', async () => {
    const refused = await refusedPoll();
    for (let count = 0; count < QUEUED_POLLS_MAX; count += 1) {
      await db.ops.add({
        ...refused,
        seq: 1_000 + count,
        opId: crypto.randomUUID(),
        entityId: crypto.randomUUID(),
      });
    }
    const replacing = queuePoll(db, userId, sampleDraft(), NOW_MS, { replacesOpId: refused.opId });
    await expect(replacing).rejects.toThrow(OutboxFullError);
    expect(await db.ops.where('opId').equals(refused.opId).count()).toBe(1);
    expect(await readLocalImages(db, refused.opId)).toHaveProperty('1');
  });

  test('can be replaced even if the outbox is full', async () => {
    const refused = await refusedPoll();
    for (let count = 1; count < QUEUED_POLLS_MAX; count += 1)
      await queuePoll(db, userId, sampleDraft(), NOW_MS);
    await queuePoll(db, userId, sampleDraft(), NOW_MS, { replacesOpId: refused.opId });
    expect(await db.ops.count()).toBe(QUEUED_POLLS_MAX);
  });
});

test('an edited poll does not replace the original if that is still waiting', async () => {
  await queuePoll(db, userId, sampleDraft(), NOW_MS);
  const waitingOp = await onlyOp();
  await queuePoll(db, userId, sampleDraft(), NOW_MS, { replacesOpId: waitingOp.opId });
  expect(await db.ops.count()).toBe(2);
});

describe('a draft that is submitted twice', () => {
  const pollId = '019352aa-0000-7000-8000-00000000abcd';

  test('is queued as one poll with two images', async () => {
    await queuePoll(db, userId, sampleDraft({ pollId }), NOW_MS);
    expect(await queuePoll(db, userId, sampleDraft({ pollId }), NOW_MS)).toBe(pollId);
    expect(await onlyOp()).toMatchObject({ entityId: pollId, payload: { pollId } });
    expect(await db.opBlobs.count()).toBe(2);
  });

  test('is queued as one poll even while its op is being sent', async () => {
    await queuePoll(db, userId, sampleDraft({ pollId }), NOW_MS);
    await db.ops.toCollection().modify({ state: 'sending', firstLeasedAt: NOW_MS });
    const { opId } = await onlyOp();
    expect(await queuePoll(db, userId, sampleDraft({ pollId }), NOW_MS)).toBe(pollId);
    expect(await onlyOp()).toMatchObject({ opId, state: 'sending' });
  });

  test('is queued as one poll with the later edits', async () => {
    await queuePoll(db, userId, sampleDraft({ pollId }), NOW_MS);
    await queuePoll(db, userId, sampleDraft({ pollId, question: 'Sand or sea?' }), NOW_MS);
    expect(await onlyOp()).toMatchObject({ payload: { question: 'Sand or sea?' } });
    expect(await db.opBlobs.count()).toBe(2);
  });

  test('is queued with a later image, even outside of a secure context, where images are not hashed', async () => {
    vi.stubGlobal('crypto', { getRandomValues: crypto.getRandomValues.bind(crypto) });
    await queuePoll(db, userId, sampleDraft({ pollId }), NOW_MS);
    const [firstImage, secondImage] = sampleDraft().images;
    const laterImage = { ...firstImage, bytes: new Uint8Array([3]).buffer };
    await queuePoll(db, userId, sampleDraft({ pollId, images: [laterImage, secondImage] }), NOW_MS);
    const { opId } = await onlyOp();
    expect(await readLocalImages(db, opId)).toStrictEqual({ 1: laterImage, 2: secondImage });
  });

  test('cannot be submitted with later edits if its op may have been sent', async () => {
    await queuePoll(db, userId, sampleDraft({ pollId }), NOW_MS);
    await db.ops.toCollection().modify({ state: 'sending', firstLeasedAt: NOW_MS });
    const edited = sampleDraft({ pollId, question: 'Sand or sea?' });
    await expect(queuePoll(db, userId, edited, NOW_MS)).rejects.toThrow(PollAlreadySentError);
    expect(await onlyOp()).toMatchObject({ payload: { question: 'Sand or summit?' } });
  });

  test('keeps its poll id if the first op has already left the queue', async () => {
    await queuePoll(db, userId, sampleDraft({ pollId }), NOW_MS);
    await db.ops.clear();
    expect(await queuePoll(db, userId, sampleDraft({ pollId }), NOW_MS)).toBe(pollId);
  });
});

describe('a refused poll that is edited in one tab and retried in another', () => {
  const queueEdit = (refused: { opId: string; entityId: string }) =>
    queuePoll(db, userId, sampleDraft({ question: 'Beach?', pollId: refused.entityId }), NOW_MS, {
      replacesOpId: refused.opId,
    });

  test('is queued as one poll with the edits if it has not been sent', async () => {
    const refused = await refusedPoll();
    await requeueOp(db, refused.opId);
    await queueEdit(refused);
    expect(await onlyOp()).toMatchObject({ entityId: refused.entityId, payload: { question: 'Beach?' } });
    expect(await db.opBlobs.count()).toBe(2);
  });

  test('cannot be queued with the edits if the retried op may have been sent', async () => {
    const refused = await refusedPoll();
    await requeueOp(db, refused.opId);
    await db.ops.toCollection().modify({ firstLeasedAt: NOW_MS });
    await expect(queueEdit(refused)).rejects.toThrow(PollAlreadySentError);
    expect(await onlyOp()).toMatchObject({ payload: { question: 'Sand or summit?' } });
  });

  test('can be edited after it was refused again', async () => {
    const refused = await refusedPoll();
    await requeueOp(db, refused.opId);
    await db.ops.toCollection().modify({ firstLeasedAt: NOW_MS, state: 'rejected' });
    await queueEdit(refused);
    expect(await onlyOp()).toMatchObject({ state: 'queued', payload: { question: 'Beach?' } });
  });
});

test('the request of an op is fixed when it is queued', async () => {
  await queueVote(db, { userId, pollId: POLL_ID, option: 2 }, NOW_MS);
  await queuePoll(db, userId, sampleDraft(), NOW_MS);
  const [vote, poll] = await db.ops.toArray();
  expect(vote?.request).toEqual({
    method: 'POST',
    path: `/api/questions/${POLL_ID}/vote`,
    kind: 'json',
    body: '{"option":2}',
  });
  expect(poll?.request).toMatchObject({
    path: '/api/questions',
    kind: 'form',
    fields: [
      ['id', poll?.entityId],
      ['question', 'Sand or summit?'],
      ['option1Caption', ''],
      ['option2Caption', ''],
      ['duration', '3'],
      ['responsesWanted', '10'],
    ],
  });
});

test('an op that is cancelled while it is being queued is not stored', async () => {
  const isCancelled = () => true;
  const cancelled = { code: 'cancelled' };
  const vote = { userId, pollId: POLL_ID, option: 1 } as const;
  await expect(queueVote(db, vote, NOW_MS, isCancelled)).rejects.toMatchObject(cancelled);
  await expect(queuePoll(db, userId, sampleDraft(), NOW_MS, { isCancelled })).rejects.toMatchObject(
    cancelled,
  );
  expect(await db.ops.count()).toBe(0);
  expect(await db.opBlobs.count()).toBe(0);
});

test('a refused poll that is retried keeps its images', async () => {
  const refused = await refusedPoll();
  await requeueOp(db, refused.opId);
  const op = await onlyOp();
  expect(op).toMatchObject({ state: 'queued', entityId: refused.entityId });
  expect(Object.keys(await readLocalImages(db, op.opId))).toEqual(['1', '2']);
});

test('the refusal of a retried op is announced only by the tab that receives it', async () => {
  const refused = await refusedPoll();
  await markUnannounced(db, refused.opId);
  await requeueOp(db, refused.opId);
  await db.ops.toCollection().modify({ state: 'rejected', lastError: refused.lastError });
  expect(await takeUnannounced(db)).toEqual([]);
});

test('the outbox contains the question and the chosen caption of a vote even if the poll is not cached', async () => {
  await db.polls.put(samplePoll());
  await queueVote(db, { userId, pollId: POLL_ID, option: 2 }, NOW_MS);
  await queuePoll(db, userId, sampleDraft(), NOW_MS);
  await db.polls.clear();
  const { waiting, needsDecision } = await readOutboxItems(db);
  expect(needsDecision).toEqual([]);
  expect(waiting).toMatchObject([
    { poll: null, op: { payload: { question: 'First cup of the day?', caption: 'Green tea' } } },
    { poll: null, op: { payload: { question: 'Sand or summit?' } } },
  ]);
});
