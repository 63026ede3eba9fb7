import { expect, test } from 'vitest';
import { inTransaction } from '#api/db/transaction.ts';
import { createTestApp } from '#api/testing/test-app.ts';
import { creditPoints } from './ledger.ts';

const { db, signUp } = await createTestApp();

/** The balance of a user, and the sum and number of the entries in their ledger. A new account has one entry, of 10 points. */
async function ledgerOf(userId: number) {
  const [row] = await db.sql<[{ points: number; sum: number; entries: number }]>`
    select points, coalesce(sum(delta), 0)::int as sum, count(delta)::int as entries
    from users left join point_entries on user_id = users.id where users.id = ${userId} group by users.id`;
  return row;
}

test('an entry changes the balance once per source', async () => {
  const { user } = await signUp();
  const entry = { userId: user.id, delta: 1, reason: 'vote' as const, source: 'vote:1' };
  expect(await creditPoints(db, entry)).toEqual({ points: 11, rev: user.rev + 1 });
  expect(await creditPoints(db, entry)).toBeNull();
  expect(await ledgerOf(user.id)).toEqual({ points: 11, sum: 11, entries: 2 });
});

test('of fifty concurrent entries with the same source, only one is stored', async () => {
  const { user } = await signUp();
  const entry = { userId: user.id, delta: 1, reason: 'vote' as const, source: 'vote:1' };
  const balances = await Promise.all(Array.from({ length: 50 }, () => creditPoints(db, entry)));
  expect(balances.filter((balance) => balance !== null)).toHaveLength(1);
  expect(await ledgerOf(user.id)).toEqual({ points: 11, sum: 11, entries: 2 });
});

test('of thirty concurrent payments of the whole balance, only one succeeds', async () => {
  const { user } = await signUp();
  const balances = await Promise.all(
    Array.from({ length: 30 }, (_, number) =>
      creditPoints(db, { userId: user.id, delta: -10, reason: 'poll', source: `poll:${number}` }),
    ),
  );
  expect(balances.filter((balance) => balance !== null)).toEqual([{ points: 0, rev: user.rev + 1 }]);
  expect(await ledgerOf(user.id)).toEqual({ points: 0, sum: 0, entries: 2 });
});

test('a balance never becomes negative, and unknown users get no points', async () => {
  const { user } = await signUp();
  const cost = { userId: user.id, delta: -11, reason: 'poll' as const, source: 'poll:1' };
  expect(await creditPoints(db, cost)).toBeNull();
  expect(await creditPoints(db, { ...cost, userId: 999_999, delta: 1 })).toBeNull();
  expect(await ledgerOf(user.id)).toEqual({ points: 10, sum: 10, entries: 1 });
});

test('an entry is rolled back with its transaction', async () => {
  const { user } = await signUp();
  const failed = inTransaction(db, async (tx) => {
    await creditPoints(tx, { userId: user.id, delta: 5, reason: 'referral', source: 'referral:1' });
    throw new Error('rolled back on purpose');
  });
  await expect(failed).rejects.toThrow('rolled back on purpose');
  expect(await ledgerOf(user.id)).toEqual({ points: 10, sum: 10, entries: 1 });
});
