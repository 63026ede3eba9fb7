import { expect, test } from 'vitest';
import { afterStatement } from '#api/testing/database-hooks.ts';
import { createEmailChanges, mailTo, tokenIn } from '#api/testing/mails.ts';
import { createTestApp, type TestUser } from '#api/testing/test-app.ts';
import { isEmailReserved } from './email-changes.ts';

const app = await createTestApp();
const { db, deps, signUp, visitor } = app;

async function resetToken(account: TestUser): Promise<string> {
  expect((await visitor().post('/api/forgot-password', { email: account.user.email })).status).toBe(200);
  return tokenIn(await mailTo(app, account.user.email));
}

const verify = (token: string) => visitor().get(`/api/verify-email?token=${token}`);
const reset = (token: string, password = 'a brand new password') =>
  visitor().post('/api/reset-password', { token, password });
const logIn = ({ user }: TestUser, password: string) =>
  visitor().post('/api/login', { username: user.username, password });
const readUser = async (client: TestUser) => (await client.get('/api/user')).json();

test('the link in the verification mail verifies the email idempotently and does not log in', async () => {
  const client = await signUp();
  const token = tokenIn(await mailTo(app, client.user.email));
  for (let attempt = 0; attempt < 2; attempt++) {
    const browser = visitor();
    const response = await browser.get(`/api/verify-email?token=${token}`);
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({ message: 'Your email has been verified.' });
    expect(browser.cookies.size).toBe(0);
  }
  expect(await readUser(client)).toMatchObject({ isVerified: true, rev: client.user.rev + 1 });
});

test('a referral earns five more points when the friend’s email is verified, only once', async () => {
  const referrer = await signUp();
  const friend = await signUp({ referralCode: referrer.user.referralCode });
  expect(await readUser(referrer)).toMatchObject({ points: 15, referralPoints: 5 });
  const token = tokenIn(await mailTo(app, friend.user.email));
  const responses = await Promise.all(Array.from({ length: 20 }, () => verify(token)));
  expect(responses.map(({ status }) => status)).toEqual(responses.map(() => 200));
  expect(await readUser(referrer)).toMatchObject({ points: 20, referralPoints: 10 });
  expect(await readUser(friend)).not.toHaveProperty('referralPoints');

  await friend.patch('/api/user', {
    email: 'other@example.org',
    currentPassword: friend.password,
  });
  expect(await readUser(friend)).toMatchObject({ isVerified: true, pendingEmail: 'other@example.org' });
  expect((await verify(tokenIn(await mailTo(app, 'other@example.org')))).status).toBe(200);
  expect(await readUser(friend)).toMatchObject({ isVerified: true, email: 'other@example.org' });
  expect(await readUser(referrer)).toMatchObject({ points: 20 });
});

test('a verification link works for 24 hours, a reset link for 60 minutes', async () => {
  const client = await signUp();
  const verificationToken = tokenIn(await mailTo(app, client.user.email));
  const passwordToken = await resetToken(client);
  const minutesLeft = async (purpose: string) => {
    const [row] = await db.sql<[{ minutes: number }]>`
      select round(extract(epoch from max(expires_at) - now()) / 60)::int as minutes
      from email_tokens where user_id = ${client.user.id} and purpose = ${purpose}`;
    return row.minutes;
  };
  expect(await minutesLeft('verify')).toBe(24 * 60);
  expect(await minutesLeft('reset')).toBe(60);
  await db.sql`update email_tokens set expires_at = now() - interval '1 second'`;
  for (const response of [await verify(verificationToken), await reset(passwordToken)]) {
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ code: 'invalid_token' });
  }
});

test('a password reset ends every session, and the old password no longer works', async () => {
  const client = await signUp();
  const secondLogin = await logIn(client, client.password);
  expect(secondLogin.status).toBe(200);
  const response = await reset(await resetToken(client));
  expect(response.status).toBe(200);
  expect(response.headers.getSetCookie()).toEqual([]);
  expect((await client.get('/api/user')).status).toBe(401);
  expect((await db.sql`select from sessions where user_id = ${client.user.id}`).count).toBe(0);
  expect((await logIn(client, client.password)).status).toBe(401);
  const newLogin = await logIn(client, 'a brand new password');
  expect(await newLogin.json()).toMatchObject({ id: client.user.id, isVerified: false });
});

test('of twenty concurrent uses of a reset link, only one sets the password', async () => {
  const client = await signUp();
  const token = await resetToken(client);
  const passwords = Array.from({ length: 20 }, (_, number) => `new password ${number}`);
  const responses = await Promise.all(passwords.map((password) => reset(token, password)));
  const winners = passwords.filter((_, number) => responses[number]?.status === 200);
  expect(winners).toHaveLength(1);
  expect(responses.filter(({ status }) => status === 400)).toHaveLength(19);
  expect((await logIn(client, winners[0] ?? '')).status).toBe(200);
  expect((await reset(token)).status).toBe(400);
});

test('a login with the old password concurrent with a reset leaves no session', async () => {
  const client = await signUp();
  const token = await resetToken(client);
  await Promise.all([reset(token), ...Array.from({ length: 10 }, () => logIn(client, client.password))]);
  expect((await db.sql`select from sessions where user_id = ${client.user.id}`).count).toBe(0);
});

test('a newer reset link voids the older link, and its use discards a queued reset mail', async () => {
  const client = await signUp();
  const verification = tokenIn(await mailTo(app, client.user.email));
  const firstReset = await resetToken(client);
  const secondReset = await resetToken(client);
  expect((await reset(firstReset)).status).toBe(400);
  // The reset links have not voided the link of another kind.
  expect((await verify(verification)).status).toBe(200);
  // Queues a third mail. Its link, which would void the second one, is made only when the mail is sent.
  await visitor().post('/api/forgot-password', { email: client.user.email });
  expect((await reset(secondReset)).status).toBe(200);
  expect(await db.sql`select purpose from mail_queue`).toEqual([{ purpose: 'password-changed' }]);
});

test('a link works only for its own purpose', async () => {
  const client = await signUp();
  const verificationToken = tokenIn(await mailTo(app, client.user.email));
  const passwordToken = await resetToken(client);
  expect((await reset(verificationToken)).status).toBe(400);
  expect((await verify(passwordToken)).status).toBe(400);
  expect((await verify(verificationToken)).status).toBe(200);
  expect((await reset(passwordToken)).status).toBe(200);
});

test.each([
  ['too short', 'x'],
  ['unknown', 'A'.repeat(43)],
  ['too long', 'A'.repeat(10_000)],
  ['percent-encoded', '%00'],
  ['a NUL character', '\u0000'],
  ['an emoji', '\u{1F4A5}'],
])('a token that is %s is refused', async (_kind, token) => {
  expect((await verify(encodeURIComponent(token))).status).toBe(400);
  const response = await reset(token);
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({ code: 'invalid_token' });
});

test('the error message names a missing or invalid field', async () => {
  for (const path of ['/api/verify-email', '/api/verify-email?token=']) {
    const response = await visitor().get(path);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ message: 'No verification token provided.' });
  }
  const noToken = await visitor().post('/api/reset-password', { password: 'long enough' });
  expect(await noToken.json()).toMatchObject({
    code: 'invalid_input',
    message: 'No reset token provided. Please request a new password reset link.',
  });
  const shortPasswordResponse = await reset('A'.repeat(43), 'short');
  expect(await shortPasswordResponse.json()).toMatchObject({
    message: 'Password must be at least 8 characters',
  });
  const invalidEmailResponse = await visitor().post('/api/forgot-password', { email: 'nobody' });
  expect(await invalidEmailResponse.json()).toMatchObject({ message: 'Please enter a valid email address' });
});

test('a request for a new password does not reveal which accounts exist', async () => {
  const { user } = await signUp();
  await deps.mails.runDue();
  const responses = [];
  for (const email of [user.email, 'nobody@example.org']) {
    const response = await visitor().post('/api/forgot-password', { email });
    responses.push({ status: response.status, body: await response.json() });
  }
  expect(responses[0]).toEqual(responses[1]);
  expect(responses[0]).toEqual({
    status: 200,
    body: {
      message: 'If your email is registered with us, you will receive instructions to reset your password.',
    },
  });
  const rows = await db.sql`select purpose, user_id, attempts from mail_queue`;
  expect(rows).toHaveLength(2);
  expect(rows[0]).toEqual(rows[1]);
});

test('links in mails lead to the public address, whatever the Host header', async () => {
  const client = await signUp();
  const { email } = client.user;
  for (const [path, page] of [
    ['/api/resend-verification', 'verify-email'],
    ['/api/forgot-password', 'reset-password'],
  ] as const) {
    await client.post(path, { email }, { Host: 'evil.example', 'X-Forwarded-Host': 'evil.example' });
    const mail = await mailTo(app, email);
    expect(mail.text).toContain(`${deps.env.publicUrl}/${page}?token=`);
    expect(`${mail.text}${mail.html}`).not.toContain('evil.example');
  }
});

test('another verification link can be requested until the email is verified', async () => {
  expect((await visitor().post('/api/resend-verification')).status).toBe(401);
  const client = await signUp();
  const firstToken = tokenIn(await mailTo(app, client.user.email));
  const response = await client.post('/api/resend-verification');
  expect(response.status).toBe(200);
  expect(await response.json()).toEqual({ message: `A new link is on its way to ${client.user.email}.` });
  const secondToken = tokenIn(await mailTo(app, client.user.email));
  expect((await verify(firstToken)).status).toBe(400);
  expect((await verify(secondToken)).status).toBe(200);
  const responseAfterwards = await client.post('/api/resend-verification');
  expect(await responseAfterwards.json()).toEqual({ message: 'Your email is already verified.' });
  expect((await db.sql`select from mail_queue`).count).toBe(0);
});

test('an email stays reserved for its former user at the moment when the link that restores it is sent', async () => {
  const [client, other] = [await signUp(), await signUp()];
  const { newAddress, request } = createEmailChanges(app);
  expect((await request(client, newAddress())).status).toBe(200);
  // The first of the two statements that look for the link.
  const dbThenSending = afterStatement(db, 'select "user_id" from', () => deps.mails.runDue());
  expect(await isEmailReserved(dbThenSending, client.user.email, other.user.id)).toBe(true);
});
