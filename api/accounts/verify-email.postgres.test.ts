import { expect, test } from 'vitest';
import { inTransaction } from '#api/db/transaction.ts';
import { mailTo, tokenIn } from '#api/testing/mails.ts';
import { createTestApp } from '#api/testing/test-app.ts';

const app = await createTestApp();
const { db, signUp, visitor } = app;

test('a verification does not deadlock with votes of the user and their referrer', async () => {
  const referrer = await signUp();
  const friend = await signUp({ referralCode: referrer.user.referralCode });
  const token = tokenIn(await mailTo(app, friend.user.email));
  const { verifying } = await inTransaction(db, async ({ sql }) => {
    // In the order in which a statement with votes locks the voters.
    await sql`select from users where id = ${referrer.user.id} for no key update`;
    const request = visitor().get(`/api/verify-email?token=${token}`);
    await expect
      .poll(async () => {
        const waiting = await db.sql`
          select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
        return waiting.count;
      })
      .toBe(1);
    await sql`select from users where id = ${friend.user.id} for no key update nowait`;
    // In an object, as the transaction would otherwise wait for the request, which waits for the transaction.
    return { verifying: request };
  });
  expect((await verifying).status).toBe(200);
  expect(await (await referrer.get('/api/user')).json()).toMatchObject({ points: 20, referralPoints: 10 });
});
