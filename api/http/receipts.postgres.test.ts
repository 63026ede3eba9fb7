import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { inTransaction } from '#api/db/transaction.ts';
import { createTestApp } from '#api/testing/test-app.ts';
import { settleOutcome } from './receipts.ts';

const app = await createTestApp();
const { db } = app;

test('removing surplus receipts locks no receipt that is kept', async () => {
  const { user } = await app.signUp();
  await db.sql`
    insert into mutation_receipts (user_id, key, route, fingerprint, status, code, expires_at)
    select ${user.id}, gen_random_uuid(), 'vote', 'x', 409, 'poll_closed', now() + interval '1 day'
    from generate_series(1, 500)`;
  const receipt = {
    userId: user.id,
    key: randomUUID(),
    route: 'vote' as const,
    fingerprint: 'x',
    entityId: null,
    isDone: async () => false,
  };
  await inTransaction(db, async (tx) => {
    await settleOutcome(tx, receipt, { status: 409, code: 'poll_closed', entityId: null, isReplay: false });
    // Of the 500 receipts, one is being removed.
    const free =
      await db.sql`select from mutation_receipts where user_id = ${user.id} for update skip locked`;
    expect(free.count).toBe(499);
  });
});
