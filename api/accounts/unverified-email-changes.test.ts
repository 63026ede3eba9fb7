import { expect, test } from 'vitest';
import { createEmailChanges, mailTo, tokenIn } from '#api/testing/mails.ts';
import { createTestApp, limitedClient, type TestUser } from '#api/testing/test-app.ts';

const app = await createTestApp();
const { db, visitor } = app;
const { newAddress, request: requestEmail, open: openLinkTo, undo, emailOf } = createEmailChanges(app);

/** Delays the queued notices about changes of emails, which would be sent at once. */
const delayNotices = () =>
  db.sql`update mail_queue set next_attempt_at = now() + interval '1 hour' where purpose = 'email-change'`;

test('the mail to an unverified email has a link that withdraws the request and ends every session', async () => {
  const client = await app.signUp();
  const { email } = client.user;
  const requestedEmail = newAddress();
  await requestEmail(client, requestedEmail);
  const mail = await mailTo(app, email);
  expect(mail.subject).toBe('Somebody wants to change the email on your account');
  expect(mail.text).toContain('The link works until the new email is confirmed');
  expect((await undo(tokenIn(mail))).status).toBe(200);
  expect(await emailOf(client)).toEqual({ email, pendingEmail: null, isVerified: false });
  expect((await client.get('/api/user')).status).toBe(401);
});

const password = 'a brand new password';

test.each<[string, (client: TestUser) => Promise<Response>]>([
  ['requesting the old email', (client) => client.patch('/api/user', { email: client.user.email })],
  ['undoing the request', async ({ user }) => undo(tokenIn(await mailTo(app, user.email)))],
  [
    'changing the password',
    (client) =>
      client.post('/api/user/password', { currentPassword: client.password, newPassword: password }),
  ],
  [
    'resetting the password',
    async ({ user: { email } }) => {
      await visitor().post('/api/forgot-password', { email });
      const token = tokenIn(await mailTo(app, email));
      return visitor().post('/api/reset-password', { token, password });
    },
  ],
])('withdrawing a request by %s sends another link to an unverified email', async (_way, withdraw) => {
  const client = await app.signUp();
  await requestEmail(client, newAddress());
  await app.deps.mails.runDue();
  expect((await withdraw(client)).status).toBe(200);
  // Otherwise the last mail to this address could be the notice of the new password.
  await db.sql`delete from mail_queue where purpose = 'password-changed'`;
  expect((await openLinkTo(client.user.email)).status).toBe(200);
  expect(await emailOf(client)).toEqual({ email: client.user.email, pendingEmail: null, isVerified: true });
});

test('if another user confirms the new email first, the unverified old email gets another link', async () => {
  const client = await app.signUp();
  const newEmail = newAddress();
  await requestEmail(client, newEmail);
  const token = tokenIn(await mailTo(app, newEmail));
  await requestEmail(await app.signUp(), newEmail);
  expect((await openLinkTo(newEmail)).status).toBe(200);
  expect((await visitor().get(`/api/verify-email?token=${token}`)).status).toBe(409);
  expect((await openLinkTo(client.user.email)).status).toBe(200);
  expect(await emailOf(client)).toEqual({ email: client.user.email, pendingEmail: null, isVerified: true });
});

test('the link sent to an unverified old email cannot undo a confirmed change', async () => {
  // The old email may be the mistyped address of a stranger.
  const client = await app.signUp();
  const { email } = client.user;
  const newEmail = newAddress();
  await requestEmail(client, newEmail);
  const undoToken = tokenIn(await mailTo(app, email));
  const confirmationToken = tokenIn(await mailTo(app, newEmail));
  // These requests void the first confirmation link. The link to undo is voided by the confirmation below.
  await requestEmail(client, newAddress());
  await requestEmail(client, newEmail);
  expect((await visitor().get(`/api/verify-email?token=${confirmationToken}`)).status).toBe(400);
  expect((await openLinkTo(newEmail)).status).toBe(200);
  expect((await undo(undoToken)).status).toBe(400);
  const notices = await db.sql`select purpose, email from mail_queue`;
  expect(notices).toEqual([{ purpose: 'email-replaced', email }]);
  expect(await emailOf(client)).toEqual({ email: newEmail, pendingEmail: null, isVerified: true });
  // The former email is available for a new account.
  await app.signUp({ email });
  expect((await openLinkTo(email)).status).toBe(200);
});

test('if the new email is confirmed before the notice of the request is sent, the unverified email gets a notice of the change without a link', async () => {
  const client = await app.signUp();
  const { email } = client.user;
  const requestedEmail = newAddress();
  await requestEmail(client, requestedEmail);
  await delayNotices();
  expect((await openLinkTo(requestedEmail)).status).toBe(200);
  const mail = await mailTo(app, email);
  expect(mail.subject).toBe('The email on your account was changed');
  expect(`${mail.text}${mail.html}`).not.toMatch(/token=/);
  expect(`${mail.text}${mail.html}`).not.toContain(requestedEmail);
});

test('a delayed notice is due as soon as another request is within the limit', async () => {
  const client = await app.signUp();
  const { email } = client.user;
  await requestEmail(client, newAddress());
  await delayNotices();
  await requestEmail(client, newAddress());
  const waiting = await db.sql`
    select next_attempt_at <= now() as "isDue" from mail_queue where purpose = 'email-change' and email = ${email}`;
  expect(waiting).toEqual([{ isDue: true }]);
});

test('the first five notices to an unverified email in an hour are sent at once, and all further changes share a delayed one', async () => {
  const user = await app.signUp();
  const { email } = user.user;
  const { client } = limitedClient(app, user);
  for (let index = 0; index < 8; index += 1) {
    const change = { email: newAddress(), currentPassword: user.password };
    expect((await client.patch('/api/user', change)).status).toBe(200);
    await app.deps.mails.runDue();
  }
  // Each notice that was sent has stored one token.
  const [sent] = await db.sql<[{ count: number }]>`
    select count(*)::int from email_tokens where purpose = 'undo-email' and email = ${email}`;
  expect(sent.count).toBe(5);
  const waiting =
    await db.sql`select next_attempt_at > now() + interval '50 minutes' as "isLater" from mail_queue
    where purpose = 'email-change' and email = ${email}`;
  expect(waiting).toEqual([{ isLater: true }]);
});

test('the link sent after a withdrawal counts as a verification mail to the user', async () => {
  const user = await app.signUp();
  const { client } = limitedClient(app, user);
  const isLate: boolean[] = [];
  for (let index = 0; index < 4; index += 1) {
    await client.patch('/api/user', { email: newAddress(), currentPassword: user.password });
    await client.patch('/api/user', { email: user.user.email });
    const [mail] = await db.sql<[{ isLate: boolean }]>`
      select next_attempt_at > now() + interval '50 minutes' as "isLate" from mail_queue
      where purpose = 'verify' and user_id = ${user.user.id}`;
    isLate.push(mail.isLate);
  }
  // Each round counts two mails to the user, of five in an hour.
  expect(isLate).toEqual([false, false, true, true]);
});
