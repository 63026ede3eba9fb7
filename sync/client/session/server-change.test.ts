import { beforeEach, describe, expect, test } from 'vitest';
import type { User } from '#shared/accounts/schema.ts';
import type { UserDb } from '#sync/client/db.ts';
import { queueVote } from '#sync/testing/queue-vote.ts';
import { OTHER_POLL_ID, POLL_ID, samplePoll, sampleUser } from '#sync/testing/samples.ts';
import { freshUserDb } from '#sync/testing/user-db.ts';
import { adoptUser } from './server-change.ts';

const EPOCH = '0b6a4a0e-36a7-4c2b-8f0e-6b1c1d2e3f40';
const NEXT_EPOCH = '1c7b5b1f-47b8-4d3c-9a1f-7c2d2e3f4a51';
const NOW_MS = 1_700_000_000_000;

let db: UserDb;
let user: User;

/** The device has stored the user from a response of the server; a poll is cached, and a vote waits. */
beforeEach(async () => {
  const userDb = await freshUserDb();
  db = userDb.db;
  user = sampleUser({ id: userDb.userId, rev: 5, epoch: EPOCH });
  await adoptUser(db, user, NOW_MS);
  await db.polls.put(samplePoll());
  await queueVote(db, { userId: user.id, pollId: POLL_ID, option: 1 }, NOW_MS);
});

async function expectAnotherServer(): Promise<void> {
  expect(await db.ops.toArray()).toMatchObject([
    {
      entityId: POLL_ID,
      state: 'needs_attention',
      lastError: { status: 0, code: 'server_replaced', message: expect.stringMatching(/has been replaced/) },
    },
  ]);
  expect(await db.polls.count()).toBe(0);
}

async function expectSameServer(): Promise<void> {
  expect(await db.ops.toArray()).toMatchObject([{ entityId: POLL_ID, state: 'queued', lastError: null }]);
  expect(await db.polls.count()).toBe(1);
}

describe('a new account with the same id', () => {
  test.each([
    ['with another time of creation', { createdAt: '2024-02-01T08:00:00.000Z' }, EPOCH],
    [
      'with another time of creation, and without an epoch,',
      { createdAt: '2024-02-01T08:00:00.000Z' },
      undefined,
    ],
    ['with another referral code', { referralCode: 'OTHER1' }, EPOCH],
    ['with another referral code, and without an epoch,', { referralCode: 'OTHER1' }, undefined],
  ])('%s shows that the server is another one', async (_case, changes, epoch) => {
    await adoptUser(db, { ...user, ...changes, epoch }, NOW_MS);
    await expectAnotherServer();
    expect(await db.user.toArray()).toMatchObject([{ id: user.id, ...changes }]);
  });

  test('is recognised after a logout, which keeps only the stored account', async () => {
    await db.user.clear();
    await adoptUser(db, { ...user, referralCode: 'OTHER1' }, NOW_MS);
    await expectAnotherServer();
  });

  test('is recognised if only the cached user is known, as on a device of the first release', async () => {
    await db.account.clear();
    await adoptUser(db, { ...user, referralCode: 'OTHER1' }, NOW_MS);
    await expectAnotherServer();
  });

  test('without an epoch is not compared with the epoch of the previous account', async () => {
    const newAccount = { ...user, referralCode: 'OTHER1' };
    await adoptUser(db, { ...newAccount, epoch: undefined }, NOW_MS);
    await db.polls.put(samplePoll());
    await adoptUser(db, { ...newAccount, epoch: NEXT_EPOCH }, NOW_MS);
    expect(await db.polls.count()).toBe(1);
  });

  test('does not change ops that need a decision', async () => {
    await queueVote(db, { userId: user.id, pollId: OTHER_POLL_ID, option: 1 }, NOW_MS);
    await db.ops.where('entityId').equals(OTHER_POLL_ID).modify({ state: 'rejected' });
    await adoptUser(db, { ...user, referralCode: 'OTHER1' }, NOW_MS);
    expect(await db.ops.toArray()).toMatchObject([
      { entityId: POLL_ID, state: 'needs_attention' },
      { entityId: OTHER_POLL_ID, state: 'rejected', lastError: null },
    ]);
  });

  test('revokes the leases of waiting ops', async () => {
    await db.ops.toCollection().modify({ state: 'sending', leaseOwner: 'tab-1:1', leaseUntil: NOW_MS + 1 });
    await adoptUser(db, { ...user, referralCode: 'OTHER1' }, NOW_MS);
    await expectAnotherServer();
    expect(await db.ops.toArray()).toMatchObject([{ leaseOwner: null }]);
  });
});

describe('the same account', () => {
  test('with the same epoch keeps the cache and waiting ops', async () => {
    await adoptUser(db, { ...user, rev: 6 }, NOW_MS);
    await expectSameServer();
  });

  test('belongs to the same server if the device did not know an epoch before', async () => {
    await db.account.update(user.id, { epoch: undefined });
    await db.user.update(user.id, { epoch: undefined });
    await adoptUser(db, user, NOW_MS);
    await expectSameServer();
    expect(await db.account.toArray()).toMatchObject([{ id: user.id, epoch: EPOCH }]);
  });

  test('without an epoch keeps the known epoch for the next comparison', async () => {
    await adoptUser(db, { ...user, epoch: undefined }, NOW_MS);
    await expectSameServer();
    await adoptUser(db, { ...user, rev: 1, epoch: NEXT_EPOCH }, NOW_MS);
    expect(await db.polls.count()).toBe(0);
    expect(await db.user.toArray()).toMatchObject([{ rev: 1, epoch: NEXT_EPOCH }]);
    expect(await db.ops.toArray()).toMatchObject([{ entityId: POLL_ID, state: 'queued' }]);
  });
});
