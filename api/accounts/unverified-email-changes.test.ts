import { expect, test } from 'vitest';
import { createEmailChanges, mailTo, tokenIn } from '#api/testing/mails.ts';
import { createTestApp, limitedClient } from '#api/testing/test-app.ts';

const app = await createTestApp();
const { db, visitor } = app;
const { newAddress, request, open, undo, emailOf } = createEmailChanges(app);

test('an unverified email gets a mail, whose link only withdraws the request', async () => {
  const client = await app.signUp();
  const { email } = client.user;
  await mailTo(app, email);
  const wish = newAddress();
  await request(client, wish);
  const mail = await mailTo(app, email);
  expect(mail.subject).toBe('Somebody wants to change the email of your account');
  expect(mail.text).toContain('The link works until the new email is confirmed');
  expect((await undo(tokenIn(mail))).status).toBe(200);
  expect(await emailOf(client)).toEqual({ email, pendingEmail: null, isVerified: false });
  expect((await client.get('/api/user')).status).toBe(401);
});

test('once a new email is confirmed, an unverified old one cannot undo it, because it may be mistyped and belong to a stranger', async () => {
  const client = await app.signUp();
  const { email } = client.user;
  const present = newAddress();
  await request(client, present);
  const token = tokenIn(await mailTo(app, email));
  const confirmation = tokenIn(await mailTo(app, present));
  await request(client, newAddress());
  await request(client, present);
  expect((await visitor().get(`/api/verify-email?token=${confirmation}`)).status).toBe(400);
  expect((await open(present)).status).toBe(200);
  expect((await undo(token)).status).toBe(400);
  const notices = await db.sql`select purpose, email from mail_queue`;
  expect(notices).toEqual([{ purpose: 'email-replaced', email }]);
  expect(await emailOf(client)).toEqual({ email: present, pendingEmail: null, isVerified: true });
  // The former email is available for a new account.
  await app.signUp({ email });
  expect((await open(email)).status).toBe(200);
});

test('an unverified email gets the notice even if the new one is confirmed before that is sent', async () => {
  const client = await app.signUp();
  const { email } = client.user;
  await mailTo(app, email);
  const wish = newAddress();
  await request(client, wish);
  await db.sql`
    update mail_queue set next_attempt_at = now() + interval '2 seconds' where purpose = 'email-change'`;
  expect((await open(wish)).status).toBe(200);
  const mail = await mailTo(app, email);
  expect(mail.subject).toBe('The email of your account was changed');
  expect(`${mail.text}${mail.html}`).not.toMatch(/token=/);
  expect(`${mail.text}${mail.html}`).not.toContain(wish);
});

test('a queued notice is sent when a later request permits an immediate mail', async () => {
  const client = await app.signUp();
  const { email } = client.user;
  await mailTo(app, email);
  await request(client, newAddress());
  await db.sql`update mail_queue set next_attempt_at = now() + interval '1 hour' where purpose = 'email-change'`;
  await request(client, newAddress());
  const waiting = await db.sql`
    select next_attempt_at <= now() as "isDue" from mail_queue where purpose = 'email-change' and email = ${email}`;
  expect(waiting).toEqual([{ isDue: true }]);
});

test('an unverified email gets mails about five changes per hour at once, and one later mail about further ones', async () => {
  const user = await app.signUp();
  const { email } = user.user;
  const { client } = limitedClient(app, user);
  for (let index = 0; index < 8; index += 1) {
    const wish = { email: newAddress(), currentPassword: user.password };
    expect((await client.patch('/api/user', wish)).status).toBe(200);
    await app.deps.mails.runDue();
  }
  const [sent] = await db.sql<[{ count: number }]>`
    select count(*)::int from email_tokens where purpose = 'undo-email' and email = ${email}`;
  expect(sent.count).toBe(5);
  const waiting =
    await db.sql`select next_attempt_at > now() + interval '50 minutes' as "isLater" from mail_queue
    where purpose = 'email-change' and email = ${email}`;
  expect(waiting).toEqual([{ isLater: true }]);
  await db.sql`delete from mail_queue`;
});
