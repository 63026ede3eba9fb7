import { eq } from 'drizzle-orm';
import { afterAll, expect, test } from 'vitest';
import { createTestDatabase } from '#api/testing/servers/database.ts';
import { pollTotals } from './schema/polls.ts';
import { inSavepoint, inTransaction } from './transaction.ts';

const db = await createTestDatabase();
afterAll(() => db.close());

async function activeTotal(): Promise<number | undefined> {
  const [row] = await db.orm.select().from(pollTotals).where(eq(pollTotals.id, 1));
  return row?.active;
}

test('both handles write in the transaction, and the result of the callback is returned', async () => {
  const result = await inTransaction(db, async (tx) => {
    await tx.orm.update(pollTotals).set({ active: 1 });
    await tx.sql`update poll_totals set active = active + 1`;
    return 'written';
  });
  expect(result).toBe('written');
  expect(await activeTotal()).toBe(2);
});

test('an array that the callback returns is not awaited item by item', async () => {
  const [item] = await inTransaction(db, async () => [Promise.resolve('unchanged')]);
  expect(item).toBeInstanceOf(Promise);
});

test('any error rolls back the whole transaction', async () => {
  const before = await activeTotal();
  const failed = inTransaction(db, async (tx) => {
    await tx.orm.update(pollTotals).set({ active: 50 });
    await tx.sql`update poll_totals set active = 100`;
    throw new Error('no');
  });
  await expect(failed).rejects.toThrow('no');
  expect(await activeTotal()).toBe(before);
});

test('a savepoint can be rolled back without the rest of the transaction', async () => {
  await inTransaction(db, async (tx) => {
    await tx.sql`update poll_totals set active = 7`;
    await inSavepoint(tx, async (part) => {
      await part.sql`update poll_totals set active = 8`;
      await part.orm.update(pollTotals).set({ active: 9 });
      throw new Error('not this');
    }).catch(() => {});
  });
  expect(await activeTotal()).toBe(7);
});

test('a query of the builder is prepared once per connection, like tagged SQL', async () => {
  await inTransaction(db, async (tx) => {
    for (const id of [1, 2]) await tx.orm.select().from(pollTotals).where(eq(pollTotals.id, id));
    const prepared = await tx.sql`
      select from pg_prepared_statements where statement like 'select %from "poll_totals" where %'`;
    expect(prepared.count).toBe(1);
  });
});

test('many concurrent transactions all succeed', async () => {
  await db.sql`update poll_totals set active = 0`;
  await Promise.all(
    Array.from({ length: 40 }, () =>
      inTransaction(db, async (tx) => {
        await tx.sql`update poll_totals set active = active + 1`;
        await tx.sql`select pg_sleep(0.001)`;
      }),
    ),
  );
  expect(await activeTotal()).toBe(40);
});

test('a failed statement does not affect the next one on the connection', async () => {
  const results = await Promise.allSettled(
    Array.from(
      { length: 20 },
      (_, number) => db.sql<[{ value: number }]>`select 10 / ${number % 4}::int as value`,
    ),
  );
  for (const [number, result] of results.entries()) {
    if (number % 4 === 0) expect(result.status).toBe('rejected');
    else expect(result).toMatchObject({ value: [{ value: Math.trunc(10 / (number % 4)) }] });
  }
});
