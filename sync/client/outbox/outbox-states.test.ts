import { beforeEach, describe, expect, test } from 'vitest';
import { readLocalImages } from '#sync/client/cache/reads.ts';
import type { UserDb } from '#sync/client/db.ts';
import type { Op } from '#sync/operations/registry.ts';
import { queueVote } from '#sync/testing/queue-vote.ts';
import { OTHER_POLL_ID, POLL_ID, sampleDraft, samplePoll } from '#sync/testing/samples.ts';
import { freshUserDb } from '#sync/testing/user-db.ts';
import {
  makeDue,
  moveOps,
  OutboxFullError,
  QUEUED_POLLS_MAX,
  queuePoll,
  requeueOp,
  resetOpBackoff,
} from './outbox.ts';

const NOW_MS = 1_700_000_000_000;
let db: UserDb;
let userId: number;

beforeEach(async () => {
  ({ db, userId } = await freshUserDb(50));
});

const vote = (option: 1 | 2 = 1, pollId = POLL_ID) => queueVote(db, { userId, pollId, option }, NOW_MS);
const modifyAll = (changes: Partial<Op>) => db.ops.toCollection().modify(changes);
const errorOf = (code: 'poll_closed' | 'id_taken' | 'rate_limited' | 'server_replaced') => ({
  status: 409,
  code,
  message: '',
});

async function onlyOp(): Promise<Op> {
  const [op, ...others] = await db.ops.toArray();
  if (op === undefined || others.length > 0) throw new Error('expected one op');
  return op;
}

describe('a second vote on a poll', () => {
  test.each(['queued', 'sending', 'blocked_auth', 'needs_attention'] as const)(
    'is ignored while the first vote is %s',
    async (state) => {
      await vote(1);
      await modifyAll({ state });
      const { opId } = await onlyOp();
      await vote(2);
      expect(await onlyOp()).toMatchObject({ opId, payload: { option: 1 } });
    },
  );

  test('replaces a refused vote, but no other op', async () => {
    await vote(1, OTHER_POLL_ID);
    await vote(1);
    await modifyAll({ state: 'rejected', lastError: errorOf('poll_closed') });
    await vote(2);
    expect(await db.ops.toArray()).toMatchObject([
      { entityId: OTHER_POLL_ID, state: 'rejected' },
      { entityId: POLL_ID, state: 'queued', payload: { option: 2 }, lastError: null, attempts: 0 },
    ]);
  });

  test('does not affect the creation of the poll, even if that was refused', async () => {
    const pollId = await queuePoll(db, userId, sampleDraft(), NOW_MS);
    await vote(1, pollId);
    await modifyAll({ state: 'rejected' });
    await vote(2, pollId);
    expect(await db.ops.toArray()).toMatchObject([
      { type: 'createPoll', state: 'rejected' },
      { type: 'vote', state: 'queued' },
    ]);
    expect(await db.opBlobs.count()).toBe(2);
  });
});

test.each([
  [1, 'Coffee'],
  [2, 'Green tea'],
] as const)('a vote for option %i is stored with the caption of the option', async (option, caption) => {
  await db.polls.put(samplePoll());
  await vote(option);
  expect(await onlyOp()).toMatchObject({ createdAt: NOW_MS, payload: { option, caption } });
});

test('a vote for an option without a caption is stored without a caption', async () => {
  await db.polls.put(samplePoll({ option1Caption: null }));
  await vote(1);
  expect((await onlyOp()).payload).toEqual({
    pollId: POLL_ID,
    option: 1,
    question: 'First cup of the day?',
    caption: undefined,
  });
});

test('the texts of a poll are stored without surrounding spaces', async () => {
  await queuePoll(
    db,
    userId,
    sampleDraft({ question: ' Where? ', option1Caption: ' Sand ', option2Caption: ' Summit ' }),
    NOW_MS,
  );
  const trimmed = { question: 'Where?', option1Caption: 'Sand', option2Caption: 'Summit' };
  expect((await onlyOp()).payload).toMatchObject(trimmed);
});

test('waiting votes do not count toward the limit of waiting polls', async () => {
  for (let count = 0; count < QUEUED_POLLS_MAX; count += 1) {
    await vote(1, POLL_ID.replace(/.{2}$/, String(count).padStart(2, '0')));
  }
  for (let count = 0; count < QUEUED_POLLS_MAX; count += 1)
    await queuePoll(db, userId, sampleDraft(), NOW_MS);
  await expect(queuePoll(db, userId, sampleDraft(), NOW_MS)).rejects.toThrow(OutboxFullError);
});

test('an edited poll whose op has left the queue is queued as a new poll', async () => {
  const pollId = await queuePoll(db, userId, sampleDraft(), NOW_MS, { replacesOpId: 'gone' });
  expect(await onlyOp()).toMatchObject({ entityId: pollId, state: 'queued' });
});

test('a poll that is submitted twice is queued once, without affecting a waiting vote on it', async () => {
  const pollId = '019352aa-0000-7000-8000-00000000abcd';
  await vote(1, pollId);
  await queuePoll(db, userId, sampleDraft({ pollId }), NOW_MS);
  expect(await queuePoll(db, userId, sampleDraft({ pollId }), NOW_MS)).toBe(pollId);
  expect((await db.ops.toArray()).map(({ type }) => type)).toEqual(['vote', 'createPoll']);
});

test('an edited poll that was refused without a reason keeps its id', async () => {
  const pollId = await queuePoll(db, userId, sampleDraft(), NOW_MS);
  await modifyAll({ state: 'needs_attention', lastError: null });
  const { opId } = await onlyOp();
  expect(await queuePoll(db, userId, sampleDraft(), NOW_MS, { replacesOpId: opId })).toBe(pollId);
});

describe('a retry', () => {
  const requeueRefused = async (changes: Partial<Op>) => {
    await modifyAll({ state: 'rejected', ...changes });
    const refused = await onlyOp();
    await requeueOp(db, refused.opId);
    return refused;
  };
  const startedOver = {
    state: 'queued',
    attempts: 0,
    nextAttemptAt: 0,
    leaseOwner: null,
    leaseUntil: 0,
    lastError: null,
    refusals: 0,
    failedUploads: 0,
    mayHaveTakenEffect: false,
    firstLeasedAt: null,
    isRepeated: false,
  };

  test('gives a poll whose id was taken a new id, and keeps its images and texts', async () => {
    await queuePoll(db, userId, sampleDraft(), NOW_MS);
    const refused = await requeueRefused({ lastError: errorOf('id_taken') });
    const op = await onlyOp();
    expect(op.entityId).not.toBe(refused.entityId);
    expect(op).toMatchObject({
      ...startedOver,
      payload: { ...refused.payload, pollId: op.entityId },
      request: { fields: expect.arrayContaining([['id', op.entityId]]) },
    });
    expect(Object.keys(await readLocalImages(db, op.opId))).toEqual(['1', '2']);
    expect(await db.opBlobs.count()).toBe(2);
  });

  test.each([
    ['of an op that the server may have applied counts as sent', {}, NOW_MS],
    ['of an op that the server has refused counts as unsent', { state: 'rejected' }, null],
    ['of an op for a former server counts as unsent', { lastError: errorOf('server_replaced') }, null],
  ] as const)('%s', async (_case, changes, firstLeasedAt) => {
    await queuePoll(db, userId, sampleDraft(), NOW_MS);
    const wasUnclear = { state: 'needs_attention', mayHaveTakenEffect: true, firstLeasedAt: NOW_MS } as const;
    await requeueRefused({ ...wasUnclear, ...changes });
    expect(await onlyOp()).toMatchObject({
      ...startedOver,
      firstLeasedAt,
      mayHaveTakenEffect: firstLeasedAt !== null,
    });
  });

  test.each([
    ['another reason', errorOf('poll_closed')],
    ['no reason', null],
  ])('keeps the id of a poll that was refused for %s', async (_case, lastError) => {
    await queuePoll(db, userId, sampleDraft(), NOW_MS);
    const refused = await requeueRefused({ lastError });
    expect(await onlyOp()).toMatchObject({ entityId: refused.entityId, payload: refused.payload });
  });

  test('queues a vote under a new key', async () => {
    await vote(2);
    const refused = await requeueRefused({
      lastError: errorOf('id_taken'),
      attempts: 5,
      nextAttemptAt: NOW_MS,
      leaseOwner: 'tab-1:a',
      leaseUntil: NOW_MS,
      refusals: 5,
      failedUploads: 2,
      firstLeasedAt: NOW_MS,
      isRepeated: true,
    });
    const op = await onlyOp();
    expect(op).toMatchObject({ ...startedOver, entityId: POLL_ID, payload: refused.payload });
    expect(op.opId).not.toBe(refused.opId);
  });

  test.each([
    ['type', { type: 'comment' }],
    ['schemaVersion', { schemaVersion: 99, lastError: errorOf('id_taken') }],
  ])(
    'keeps the request of a poll with a newer %s, which waits for a newer version',
    async (_case, changes) => {
      await queuePoll(db, userId, sampleDraft(), NOW_MS);
      const request = { path: '/api/newer', kind: 'json', body: '{}' } as const;
      const refused = await requeueRefused({ ...changes, request } as Partial<Op>);
      const { entityId, payload } = refused;
      expect(await onlyOp()).toMatchObject({
        ...startedOver,
        ...changes,
        lastError: null,
        entityId,
        payload,
        request,
      });
    },
  );

  test('changes nothing for an op that waits or no longer exists', async () => {
    await vote(1);
    const op = await onlyOp();
    await requeueOp(db, op.opId);
    await requeueOp(db, 'gone');
    expect(await onlyOp()).toEqual(op);
  });
});

describe('when the server can be reached again', () => {
  const backoff = { attempts: 6, nextAttemptAt: NOW_MS + 20_000 };

  test('ops whose attempts got no response are due at once', async () => {
    await vote();
    await modifyAll(backoff);
    await resetOpBackoff(db);
    expect(await onlyOp()).toMatchObject({ attempts: 0, nextAttemptAt: 0 });
  });

  test('ops that the server has postponed keep their retry time', async () => {
    await vote();
    await modifyAll({ ...backoff, lastError: errorOf('rate_limited') });
    await resetOpBackoff(db);
    await resetOpBackoff(db, { wasUnreachable: true });
    expect(await onlyOp()).toMatchObject(backoff);
  });

  test('only ops that change are written to the database', async () => {
    await vote();
    await vote(1, OTHER_POLL_ID);
    await queuePoll(db, userId, sampleDraft(), NOW_MS);
    await db.ops.where('entityId').equals(OTHER_POLL_ID).modify(backoff);
    const writtenKeys: unknown[] = [];
    db.ops.hook('updating').subscribe((_, key) => {
      writtenKeys.push(key);
    });
    await resetOpBackoff(db);
    await resetOpBackoff(db);
    await resetOpBackoff(db, { wasUnreachable: true });
    const changedOp = await db.ops.where('entityId').equals(OTHER_POLL_ID).first();
    expect(writtenKeys).toEqual([changedOp?.seq]);
  });

  test('ops in other states than `queued` do not change', async () => {
    await vote();
    for (const state of ['sending', 'blocked_auth', 'rejected', 'needs_attention'] as const) {
      await modifyAll({ ...backoff, state });
      await resetOpBackoff(db, { wasUnreachable: true });
      expect(await onlyOp()).toMatchObject({ ...backoff, state });
    }
  });

  test('the failed uploads of a poll are reset only if the server was unreachable', async () => {
    await queuePoll(db, userId, sampleDraft(), NOW_MS);
    await modifyAll({ ...backoff, failedUploads: 5 });
    await resetOpBackoff(db);
    expect(await onlyOp()).toMatchObject({ ...backoff, failedUploads: 5 });
    await modifyAll({ failedUploads: 4 });
    await resetOpBackoff(db);
    expect(await onlyOp()).toMatchObject({ attempts: 0, failedUploads: 4 });
    await modifyAll({ ...backoff, failedUploads: 5 });
    await resetOpBackoff(db, { wasUnreachable: true });
    expect(await onlyOp()).toMatchObject({ attempts: 0, nextAttemptAt: 0, failedUploads: 0 });
  });
});

test('moveOps moves only ops in the given state, and makes them due', async () => {
  await vote(1);
  await vote(1, OTHER_POLL_ID);
  await modifyAll({ nextAttemptAt: NOW_MS + 20_000 });
  await db.ops.where('entityId').equals(POLL_ID).modify({ state: 'blocked_auth' });
  await moveOps(db, 'blocked_auth', 'queued');
  expect(await db.ops.toArray()).toMatchObject([
    { state: 'queued', nextAttemptAt: 0 },
    { state: 'queued', nextAttemptAt: NOW_MS + 20_000 },
  ]);
});

test('makeDue makes only the given op due, and only if it is queued', async () => {
  await vote(1);
  await modifyAll({ nextAttemptAt: NOW_MS });
  const { opId } = await onlyOp();
  await makeDue(db, 'another');
  expect(await onlyOp()).toMatchObject({ nextAttemptAt: NOW_MS });
  await modifyAll({ state: 'sending' });
  await makeDue(db, opId);
  expect(await onlyOp()).toMatchObject({ nextAttemptAt: NOW_MS });
  await modifyAll({ state: 'queued' });
  await makeDue(db, opId);
  expect(await onlyOp()).toMatchObject({ nextAttemptAt: 0 });
});
