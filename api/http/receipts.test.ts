import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, expect, test } from 'vitest';
import { openPoll, postVote } from '#api/testing/poll-factory.ts';
import { putBlock } from '#api/testing/reports.ts';
import { createTestApp, type TestUser } from '#api/testing/test-app.ts';
import { findOutcome, type Outcome, type Receipt, settleOutcome, storeOutcome } from './receipts.ts';

const app = await createTestApp();
const { db, signUp } = app;
let account: TestUser;

beforeEach(async () => {
  account = await signUp();
});

const refused: Outcome = { status: 409, code: 'poll_closed', entityId: null, isReplay: false };
const newReceipt = (): Receipt => ({
  userId: account.user.id,
  key: randomUUID(),
  route: 'vote',
  fingerprint: 'x',
  entityId: null,
  isDone: async () => false,
});
const storedReceipts = async () =>
  db.sql<{ key: string; code: string | null; days: number | null }[]>`
    select key, code, round(extract(epoch from expires_at - now()) / 86400)::int as days
    from mutation_receipts where user_id = ${account.user.id}`;

test('votes on unknown polls leave no receipts', async () => {
  for (let count = 0; count < 3; count += 1) {
    expect((await postVote(account, randomUUID(), 1, randomUUID())).status).toBe(404);
  }
  expect(await storedReceipts()).toHaveLength(0);
});

test('a vote on a deleted poll leaves no receipt, and its repetition also gets 404', async () => {
  const poll = await openPoll(app, await signUp());
  await db.sql`delete from polls where id = ${poll.id}`;
  const key = randomUUID();
  for (let count = 0; count < 2; count += 1) {
    expect((await postVote(account, poll.id, 1, key)).status).toBe(404);
  }
  expect(await storedReceipts()).toHaveLength(0);
});

test('the receipt of a refused vote expires after a week, and that of a counted vote has no expiry date', async () => {
  const poll = await openPoll(app, await signUp());
  const [key, refusedKey] = [randomUUID(), randomUUID()];
  expect((await postVote(account, poll.id, 1, key)).status).toBe(200);
  expect((await postVote(account, poll.id, 2, refusedKey)).status).toBe(409);
  expect(await storedReceipts()).toEqual(
    expect.arrayContaining([
      { key, code: null, days: null },
      { key: refusedKey, code: 'already_voted', days: 7 },
    ]),
  );
});

test('keeps a user’s newest 500 receipts without an effect, and all receipts with an effect', async () => {
  const receiptsWithEffect = Array.from({ length: 3 }, newReceipt);
  for (const receipt of receiptsWithEffect) {
    await storeOutcome(db, receipt, { status: 200, code: null, entityId: null, isReplay: false });
  }
  const receipts = Array.from({ length: 520 }, newReceipt);
  for (const [index, receipt] of receipts.entries()) {
    // The embedded database's clock has whole milliseconds: the first receipt that is kept must not be as old as the last one
    // that is removed.
    if (index === 20) await sleep(5);
    expect(await settleOutcome(db, receipt, refused)).toEqual(refused);
  }
  expect(await storedReceipts()).toHaveLength(503);
  for (const receipt of [...receiptsWithEffect, ...receipts.slice(20)]) {
    expect(await findOutcome(db, receipt)).toMatchObject({ isReplay: true });
  }
  expect(await findOutcome(db, receipts[0] ?? null)).toBeNull();
});

test('a hundred concurrent refusals leave at most 500 receipts', async () => {
  await db.sql`
    insert into mutation_receipts (user_id, key, route, fingerprint, status, code, expires_at)
    select ${account.user.id}, gen_random_uuid(), 'vote', 'x', 409, 'poll_closed', now() + interval '1 day'
    from generate_series(1, 500)`;
  const receipts = Array.from({ length: 100 }, newReceipt);
  await Promise.all(receipts.map((receipt) => settleOutcome(db, receipt, refused)));
  await settleOutcome(db, newReceipt(), refused);
  expect(await storedReceipts()).toHaveLength(500);
  for (const receipt of receipts)
    expect(await findOutcome(db, receipt)).toMatchObject({ code: 'poll_closed' });
});

test('keeps the newest 500 receipts per user and kind of undoable change', async () => {
  const { username } = (await signUp()).user;
  await db.sql`
    insert into mutation_receipts (user_id, key, route, fingerprint, status, expires_at)
    select ${account.user.id}, gen_random_uuid(), 'unblock', 'x', 204, now() + interval '80 days'
    from generate_series(1, 499)`;
  const keys = [randomUUID(), randomUUID(), randomUUID()];
  for (const key of keys) {
    await putBlock(account, username, randomUUID());
    await account.delete(`/api/blocks/${username}`, { 'Idempotency-Key': key });
  }
  const receipts = await storedReceipts();
  expect(receipts).toHaveLength(3 + 500);
  expect(receipts.map(({ key }) => key)).toEqual(expect.arrayContaining(keys));
});
