import { expect, test } from 'vitest';
import { inTransaction } from '#api/db/transaction.ts';
import { voidOlderTokens } from '#api/mail/email-tokens.ts';
import { mailTo, tokenIn } from '#api/testing/mails.ts';
import { createTestApp } from '#api/testing/test-app.ts';

const app = await createTestApp();
const { db, visitor } = app;

test('a password reset does not deadlock with the sending of another reset mail', async () => {
  const { user } = await app.signUp();
  const { email } = user;
  await visitor().post('/api/forgot-password', { email });
  const token = tokenIn(await mailTo(app, email));
  await visitor().post('/api/forgot-password', { email });
  const input = { token, password: 'tall lamp, cold river' };
  const { resetting } = await inTransaction(db, async (tx) => {
    // Records a mail as sent, in the order of `mail-runner.ts`: its row is removed, and then the older links are voided.
    const [mail] = await tx.sql<[{ id: number }]>`
      delete from mail_queue where purpose = 'reset' and email = ${email} returning id::int`;
    const request = visitor().post('/api/reset-password', input);
    await expect
      .poll(async () => {
        const waiting = await db.sql`
          select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
        return waiting.count;
      })
      .toBe(1);
    await voidOlderTokens(tx, { userId: user.id, purpose: 'reset' }, mail.id);
    // In an object, as the transaction would otherwise wait for the request, which waits for the transaction.
    return { resetting: request };
  });
  expect((await resetting).status).toBe(200);
});
