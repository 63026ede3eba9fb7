import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { mailTo } from '#api/testing/mails.ts';
import { createTestApp } from '#api/testing/test-app.ts';
import { queueReset, queueVerification } from './mail-queue.ts';

const app = await createTestApp();
const { db, deps, signUp, visitor } = app;
const folder = join(deps.env.dataDir, 'mail');

beforeEach(async () => {
  await deps.mails.runDue();
});

/** The number of files in the mail folder, of any kind. */
async function countMailFiles(): Promise<number> {
  return (await readdir(folder).catch(() => [])).length;
}

test('repeated requests for the same mail queue it only once', async () => {
  const client = await signUp({ email: 'Often@example.org' });
  for (let attempt = 0; attempt < 4; attempt++) {
    await client.post('/api/resend-verification');
    await visitor().post('/api/forgot-password', { email: 'oftEN@example.org' });
  }
  const before = await countMailFiles();
  await deps.mails.runDue();
  // One mail that verifies the email, and one that resets the password.
  expect(await countMailFiles()).toBe(before + 2);
  expect((await db.sql`select from mail_queue`).count).toBe(0);
});

test('a sign-up queues one mail, and a refused sign-up queues none', async () => {
  const { user } = await signUp();
  const rows = await db.sql`select purpose, user_id as "userId" from mail_queue`;
  expect(rows).toEqual([{ purpose: 'verify', userId: user.id }]);
  const response = await visitor().post('/api/register', { ...user, password: 'long enough' });
  expect(response.status).toBe(409);
  expect((await db.sql`select from mail_queue`).count).toBe(1);
});

test('verification mails to a verified user and reset mails to a deleted or unknown user are dropped', async () => {
  const verified = await signUp();
  const deleted = await signUp();
  const before = await countMailFiles();
  await queueReset(db, deleted.user.email);
  await queueReset(db, 'nobody@example.org');
  await db.sql`update users set is_verified = true where id = ${verified.user.id}`;
  await db.sql`delete from users where id = ${deleted.user.id}`;
  await deps.mails.runDue();
  expect(await countMailFiles()).toBe(before);
  expect((await db.sql`select from mail_queue`).count).toBe(0);
});

test('deleting a user deletes their mails and links', async () => {
  const { user } = await signUp();
  await mailTo(app, user.email);
  await queueVerification(db, user.id);
  await db.sql`delete from users where id = ${user.id}`;
  expect((await db.sql`select from mail_queue`).count).toBe(0);
  expect((await db.sql`select from email_tokens where user_id = ${user.id}`).count).toBe(0);
});

test('no mail is sent to the owner’s default address', async () => {
  await signUp({ email: 'owner@thisorthat.example' });
  const before = await countMailFiles();
  await deps.mails.runDue();
  expect(await countMailFiles()).toBe(before);
  expect((await db.sql`select from mail_queue`).count).toBe(0);
});

test('another request for a delayed mail makes it due at once', async () => {
  const { user } = await signUp();
  await db.sql`delete from mail_queue`;
  await queueVerification(db, user.id, 600);
  const before = await countMailFiles();
  await deps.mails.runDue();
  expect(await countMailFiles()).toBe(before);
  const [row] = await db.sql<[{ waitS: number }]>`
    select extract(epoch from next_attempt_at - now())::float as "waitS" from mail_queue`;
  expect(row.waitS).toBeGreaterThan(590);
  await queueVerification(db, user.id);
  await deps.mails.runDue();
  expect(await countMailFiles()).toBe(before + 1);
});
