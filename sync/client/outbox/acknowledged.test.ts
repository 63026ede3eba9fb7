import { beforeEach, describe, expect, test } from 'vitest';
import { HOUR_MS } from '#shared/time.ts';
import type { UserDb } from '#sync/client/db.ts';
import { adoptUser } from '#sync/client/session/server-change.ts';
import { queueVote } from '#sync/testing/queue-vote.ts';
import { POLL_ID, sampleDraft, sampleUser } from '#sync/testing/samples.ts';
import { freshUserDb } from '#sync/testing/user-db.ts';
import { keepAcknowledged, requeueAcknowledged } from './acknowledged.ts';
import { removeOps } from './discard.ts';
import { queuePoll } from './outbox.ts';

const NOW_MS = 1_700_000_000_000;
const RETENTION_MS = 6 * HOUR_MS;

let db: UserDb;
let userId: number;

beforeEach(async () => {
  ({ db, userId } = await freshUserDb());
});

/** Removes all ops from the queue and keeps them as acknowledged at `atMs`. */
async function acknowledge(atMs: number) {
  const ops = await db.ops.toArray();
  await keepAcknowledged(db, ops, atMs);
  await removeOps(db, ops);
  return ops;
}

test('each acknowledged op is kept with its own images', async () => {
  const firstPollId = await queuePoll(db, userId, sampleDraft(), NOW_MS);
  const secondPollId = await queuePoll(db, userId, sampleDraft(), NOW_MS);
  await queueVote(db, { userId, pollId: POLL_ID, option: 1 }, NOW_MS);
  const ops = await acknowledge(NOW_MS);
  const kept = await db.acknowledged.toArray();
  expect(new Set(kept.map(({ op }) => op.entityId))).toEqual(new Set([firstPollId, secondPollId, POLL_ID]));
  for (const { opId, op, acknowledgedAt, blobs } of kept) {
    expect(opId).toBe(op.opId);
    expect(acknowledgedAt).toBe(NOW_MS);
    expect(blobs.map((blob) => [blob.opId, blob.slot])).toEqual(
      op.type === 'vote'
        ? []
        : [
            [opId, 1],
            [opId, 2],
          ],
    );
  }
  expect(kept).toHaveLength(ops.length);
});

test('acknowledged ops are kept for six hours and then deleted', async () => {
  await queueVote(db, { userId, pollId: POLL_ID, option: 1 }, NOW_MS);
  await acknowledge(NOW_MS);
  await keepAcknowledged(db, [], NOW_MS + RETENTION_MS);
  expect(await db.acknowledged.count()).toBe(1);
  await keepAcknowledged(db, [], NOW_MS + RETENTION_MS + 1);
  expect(await db.acknowledged.count()).toBe(0);
});

test('acknowledged ops older than six hours are deleted by the next session check', async () => {
  const user = sampleUser({ id: userId });
  await queueVote(db, { userId, pollId: POLL_ID, option: 1 }, NOW_MS);
  await acknowledge(NOW_MS);
  await adoptUser(db, user, NOW_MS + RETENTION_MS);
  expect(await db.acknowledged.count()).toBe(1);
  await adoptUser(db, user, NOW_MS + RETENTION_MS + 1);
  expect(await db.acknowledged.count()).toBe(0);
});

describe('an op acknowledged before the clock was set back', () => {
  beforeEach(async () => {
    await queueVote(db, { userId, pollId: POLL_ID, option: 1 }, NOW_MS);
    await acknowledge(NOW_MS);
  });

  test.each([
    ['six hours is kept', RETENTION_MS, 1],
    ['more than six hours is deleted', RETENTION_MS + 1, 0],
  ])('by %s', async (_case, setBackByMs, keptCount) => {
    await keepAcknowledged(db, [], NOW_MS - setBackByMs);
    expect(await db.acknowledged.count()).toBe(keptCount);
  });

  test.each([
    ['six hours is queued again', RETENTION_MS, 1],
    ['more than six hours is deleted instead of queued again', RETENTION_MS + 1, 0],
  ])('by %s', async (_case, setBackByMs, queuedCount) => {
    await requeueAcknowledged(db, NOW_MS - setBackByMs);
    expect([await db.ops.count(), await db.acknowledged.count()]).toEqual([queuedCount, 0]);
  });
});

test('an acknowledged op is queued again under its old key and sequence number', async () => {
  await queueVote(db, { userId, pollId: POLL_ID, option: 1 }, NOW_MS);
  await db.ops.toCollection().modify({
    state: 'sending',
    attempts: 3,
    nextAttemptAt: NOW_MS,
    leaseOwner: 'tab-1:a',
    leaseUntil: NOW_MS,
    lastError: { status: 500, code: 'internal', message: '' },
  });
  const [op] = await acknowledge(NOW_MS);
  await requeueAcknowledged(db, NOW_MS + RETENTION_MS);
  const [requeued] = await db.ops.toArray();
  expect(requeued).toMatchObject({
    opId: op?.opId,
    state: 'queued',
    attempts: 0,
    nextAttemptAt: 0,
    leaseOwner: null,
    leaseUntil: 0,
    lastError: null,
    isRepeated: true,
  });
  expect(requeued?.seq).toBe(op?.seq);
  expect(await db.acknowledged.count()).toBe(0);
});

test('acknowledged ops older than six hours are deleted instead of queued again', async () => {
  await queueVote(db, { userId, pollId: POLL_ID, option: 1 }, NOW_MS);
  await acknowledge(NOW_MS);
  await requeueAcknowledged(db, NOW_MS + RETENTION_MS + 1);
  expect([await db.ops.count(), await db.acknowledged.count()]).toEqual([0, 0]);
});
