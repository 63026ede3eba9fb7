import { expect, test } from 'vitest';
import { signUpAdmin } from '#api/testing/admins.ts';
import type { SoftPasskey } from '#api/testing/authenticator.ts';
import { createEmailChanges, mailTo, tokenIn } from '#api/testing/mails.ts';
import { addPasskey, authenticatorOf, enableSecondStep, loginOptions } from '#api/testing/passkeys.ts';
import { createTestApp, limitedClient, type TestUser } from '#api/testing/test-app.ts';
import type { TestClient } from '#api/testing/test-client.ts';

const app = await createTestApp();
const { db, visitor } = app;

const { newAddress, request, open, undo, emailOf } = createEmailChanges(app);
const logIn = (client: TestUser) =>
  visitor().post('/api/login', { username: client.user.username, password: client.password });
const isLoggedIn = async (client: TestClient) => (await client.get('/api/user')).status === 200;

/** A user with a verified email: only then can a change of it be undone after its confirmation. */
async function signUp(fields?: Parameters<typeof app.signUp>[0]): Promise<TestUser> {
  const client = await app.signUp(fields);
  expect((await open(client.user.email)).status).toBe(200);
  return Object.assign(client, { user: await (await client.get('/api/user')).json() });
}

/** A user whose email was changed and confirmed; with the tokens of both notices to the former address. */
async function movedUser() {
  const client = await signUp();
  const former = client.user.email;
  const present = newAddress();
  await request(client, present);
  const undoRequest = tokenIn(await mailTo(app, former));
  expect((await open(present)).status).toBe(200);
  return { client, former, present, undoRequest, undoChange: tokenIn(await mailTo(app, former)) };
}

test('a new email requires the current password; without it nothing changes and no mail is sent', async () => {
  const client = await signUp();
  await mailTo(app, client.user.email);
  for (const currentPassword of [undefined, '', 'not this one']) {
    const response = await client.patch('/api/user', {
      email: newAddress(),
      username: 'gone',
      currentPassword,
    });
    expect(response.status).toBe(403);
    const { code, issues } = await response.json();
    expect([code, issues[0].path]).toEqual(['wrong_password', 'currentPassword']);
  }
  expect(await (await client.get('/api/user')).json()).toEqual(client.user);
  expect((await db.sql`select from mail_queue`).count).toBe(0);
});

test('until the link to the new email is opened, the user logs in and resets the password with the old email', async () => {
  const client = await signUp();
  const { email, username } = client.user;
  const wish = newAddress();
  expect(await (await request(client, wish)).json()).toMatchObject({ email, pendingEmail: wish });
  const login = (name: string) => visitor().post('/api/login', { username: name, password: client.password });
  expect((await login(wish)).status).toBe(401);
  expect(await (await login(email)).json()).toMatchObject({ username, pendingEmail: wish });
  await visitor().post('/api/forgot-password', { email: wish });
  await visitor().post('/api/forgot-password', { email });
  expect((await mailTo(app, wish)).subject).toMatch(/^Confirm your email/);
  expect((await mailTo(app, email)).subject).toMatch(/^Choose a new password/);
  expect((await open(wish)).status).toBe(200);
  expect((await login(email)).status).toBe(401);
  expect((await login(wish)).status).toBe(200);
});

test('the old email gets a mail at once and another one after the confirmation, neither of which contains the new email', async () => {
  const { former, present, undoRequest } = await movedUser();
  const mail = await mailTo(app, former);
  expect(mail.subject).toBe('The email of your account was changed');
  expect(`${mail.text}${mail.html}`).not.toContain(present);
  expect(undoRequest).not.toBe('');
  const [row] = await db.sql<[{ days: number }]>`
    select max(extract(epoch from expires_at - created_at)::int / 86400) as days from email_tokens
    where purpose = 'undo-email'`;
  expect(row.days).toBe(7);
});

test('the mail to the old email undoes a request, which ends every session and voids the link', async () => {
  const client = await signUp();
  const { email } = client.user;
  const phone = visitor();
  await phone.post('/api/login', { username: email, password: client.password });
  const wish = newAddress();
  await request(client, wish);
  const token = tokenIn(await mailTo(app, email));
  const confirmation = tokenIn(await mailTo(app, wish));
  for (let time = 0; time < 2; time++) expect((await undo(token)).status).toBe(200);
  expect(await emailOf(client)).toEqual({ email, pendingEmail: null, isVerified: true });
  expect([await isLoggedIn(client), await isLoggedIn(phone)]).toEqual([false, false]);
  expect((await visitor().get(`/api/verify-email?token=${confirmation}`)).status).toBe(400);
});

test.each(['undoRequest', 'undoChange'] as const)('a confirmed change is undone (%s)', async (link) => {
  const moved = await movedUser();
  const { client, former, present } = moved;
  await visitor().post('/api/forgot-password', { email: present });
  const reset = tokenIn(await mailTo(app, present));
  expect((await undo(moved[link])).status).toBe(200);
  expect(await emailOf(client)).toEqual({ email: former, pendingEmail: null, isVerified: true });
  expect(await isLoggedIn(client)).toBe(false);
  expect((await visitor().post('/api/reset-password', { token: reset, password: 'taken over' })).status).toBe(
    400,
  );
  expect((await logIn(client)).status).toBe(200);
});

test('undoing a change removes passkeys added since with the second step, and keeps older ones', async () => {
  const authenticator = authenticatorOf(app);
  const [robbed, careful] = [await signUp(), await signUp()];
  const own = await addPasskey(careful, authenticator);
  for (const client of [robbed, careful]) {
    const former = client.user.email;
    const present = newAddress();
    await request(client, present);
    expect((await open(present)).status).toBe(200);
    const stolen = await addPasskey(client, authenticator);
    await enableSecondStep(client);
    expect((await undo(tokenIn(await mailTo(app, former)))).status).toBe(200);
    const logInWith = async (passkey: SoftPasskey) => {
      const browser = visitor();
      const assertion = authenticator.use(await loginOptions(browser), passkey);
      return (await browser.post('/api/login/passkey', { passkey: assertion })).status;
    };
    expect(await logInWith(stolen)).toBe(403);
    expect((await logIn(client)).status).toBe(client === robbed ? 200 : 401);
    if (client === careful) expect(await logInWith(own)).toBe(200);
  }
});

test('undoing a change cancels a deletion of the account, of which the old email was not notified', async () => {
  const { client, undoChange } = await movedUser();
  const deletion = { password: client.password, polls: 'remove' };
  expect((await client.post('/api/user/deletion', deletion)).status).toBe(200);
  expect((await undo(undoChange)).status).toBe(200);
  expect(await (await logIn(client)).json()).not.toHaveProperty('deletion');
});

test('undoing a change undoes later changes, and voids their links', async () => {
  const { client, former, present, undoChange } = await movedUser();
  const third = newAddress();
  await request(client, third);
  expect((await open(third)).status).toBe(200);
  const laterUndo = tokenIn(await mailTo(app, present));
  await request(client, newAddress());
  expect((await undo(undoChange)).status).toBe(200);
  expect(await emailOf(client)).toMatchObject({ email: former, pendingEmail: null });
  expect((await undo(laterUndo)).status).toBe(400);
  await app.deps.mails.runDue();
  expect((await db.sql`select from email_tokens where lower(email) in (${present}, ${third})`).count).toBe(0);
  expect(await emailOf(client)).toMatchObject({ email: former });
});

test('undoing a later change keeps the earlier one, which can still be undone', async () => {
  const { client, former, present, undoChange } = await movedUser();
  await request(client, newAddress());
  expect((await undo(tokenIn(await mailTo(app, present)))).status).toBe(200);
  expect(await emailOf(client)).toMatchObject({ email: present });
  expect((await undo(undoChange)).status).toBe(200);
  expect(await emailOf(client)).toMatchObject({ email: former });
});

test('while a change can be undone no other user gets the old email, at sign-up or later', async () => {
  const { client, former, undoChange } = await movedUser();
  const other = await signUp();
  const registration = {
    username: `other${client.user.id}`,
    email: former.toUpperCase(),
    password: other.password,
  };
  expect((await visitor().post('/api/register', registration)).status).toBe(409);
  expect((await request(other, former)).status).toBe(409);
  await db.sql`update email_tokens set expires_at = now() - interval '1 second'`;
  expect((await undo(undoChange)).status).toBe(400);
  expect((await visitor().post('/api/register', registration)).status).toBe(201);
});

test('a concurrent sign-up with the old email during the confirmation does not get it', async () => {
  for (let round = 0; round < 5; round++) {
    const client = await signUp();
    const former = client.user.email;
    const wish = newAddress();
    await request(client, wish);
    const token = tokenIn(await mailTo(app, wish));
    const thief = { username: `thief${client.user.id}`, email: former, password: client.password };
    const [confirmation, ...thefts] = await Promise.all([
      visitor().get(`/api/verify-email?token=${token}`),
      visitor().post('/api/register', thief),
      visitor().post('/api/register', { ...thief, username: `${thief.username}b` }),
    ]);
    expect([confirmation.status, ...thefts.map(({ status }) => status)]).toEqual([200, 409, 409]);
  }
});

test('an email that was available when requested, but is now reserved for another user, is not confirmed', async () => {
  const client = await signUp();
  const wish = newAddress();
  await request(client, wish);
  const token = tokenIn(await mailTo(app, wish));
  const other = await signUp({ email: wish });
  const third = newAddress();
  await request(other, third);
  expect((await open(third)).status).toBe(200);
  expect((await visitor().get(`/api/verify-email?token=${token}`)).status).toBe(409);
  expect(await emailOf(client)).toMatchObject({ email: client.user.email, pendingEmail: null });
});

test('a password that is changed while it is checked confirms nothing', async () => {
  const user = await signUp();
  const { passwords } = app.deps;
  const { client } = limitedClient(app, user, {
    passwords: {
      ...passwords,
      verify: async (...attempt) => {
        const isRight = await passwords.verify(...attempt);
        await db.sql`update users set password_hash = 'another' where id = ${user.user.id}`;
        return isRight;
      },
    },
  });
  const wish = { email: newAddress(), currentPassword: user.password };
  expect((await client.patch('/api/user', wish)).status).toBe(403);
  expect(await emailOf(user)).toMatchObject({ pendingEmail: null });
});

test('confirming and undoing concurrently ends with either the old email or the new one without a valid undo link', async () => {
  for (let round = 0; round < 5; round++) {
    const client = await signUp();
    const { email } = client.user;
    const wish = newAddress();
    await request(client, wish);
    const token = tokenIn(await mailTo(app, email));
    const confirmation = tokenIn(await mailTo(app, wish));
    const [undone] = await Promise.all([
      undo(token),
      visitor().get(`/api/verify-email?token=${confirmation}`),
    ]);
    expect(undone.status).toBe(200);
    expect(await emailOf(client)).toMatchObject({ email, pendingEmail: null });
    expect(await isLoggedIn(client)).toBe(false);
  }
});

test('repeated and concurrent requests send one notice and keep one link', async () => {
  const client = await signUp();
  await mailTo(app, client.user.email);
  const wish = newAddress();
  const responses = await Promise.all([request(client, wish), request(client, wish)]);
  expect(responses.map(({ status }) => status)).toEqual([200, 200]);
  const rows = await db.sql`select purpose from mail_queue order by purpose`;
  expect(rows).toEqual([{ purpose: 'email-change' }, { purpose: 'verify' }]);
});

test('requesting the current email withdraws a request without a password, and voids its link', async () => {
  const client = await signUp();
  const { email } = client.user;
  const wish = newAddress();
  await request(client, wish);
  const confirmation = tokenIn(await mailTo(app, wish));
  const response = await client.patch('/api/user', { email });
  expect([response.status, (await response.json()).pendingEmail]).toEqual([200, undefined]);
  expect((await visitor().get(`/api/verify-email?token=${confirmation}`)).status).toBe(400);
  expect((await db.sql`select from mail_queue`).count).toBe(0);
});

test('another link to the new email can be requested, and the newest one works', async () => {
  const client = await signUp();
  const wish = newAddress();
  await request(client, wish);
  const first = tokenIn(await mailTo(app, wish));
  const response = await client.post('/api/resend-verification');
  expect(await response.json()).toEqual({ message: `A new link is on its way to ${wish}.` });
  expect((await open(wish)).status).toBe(200);
  expect((await visitor().get(`/api/verify-email?token=${first}`)).status).toBe(400);
});

test('a password reset withdraws a request, and the email gets a mail about the new password', async () => {
  const client = await signUp();
  const { email } = client.user;
  const wish = newAddress();
  await request(client, wish);
  const confirmation = tokenIn(await mailTo(app, wish));
  await visitor().post('/api/forgot-password', { email });
  const token = tokenIn(await mailTo(app, email));
  expect(
    (await visitor().post('/api/reset-password', { token, password: 'a brand new password' })).status,
  ).toBe(200);
  expect(await emailOf(client)).toMatchObject({ email, pendingEmail: null });
  expect((await visitor().get(`/api/verify-email?token=${confirmation}`)).status).toBe(400);
  expect((await mailTo(app, email)).subject).toBe('Your password was changed');
});

test('20 changes of the email per hour and user', async () => {
  const user = await signUp();
  const { client } = limitedClient(app, user);
  const statuses = [];
  for (let time = 0; time < 22; time++) {
    const wish = { email: newAddress(), currentPassword: user.password };
    statuses.push((await client.patch('/api/user', wish)).status);
  }
  expect(statuses).toEqual([...Array.from({ length: 20 }, () => 200), 429, 429]);
});

test('10 wrong passwords in 15 minutes per user; correct ones do not count', async () => {
  const user = await signUp();
  const { client } = limitedClient(app, user);
  const email = newAddress();
  const change = async (currentPassword: string) =>
    (await client.patch('/api/user', { email, currentPassword })).status;
  for (let time = 0; time < 12; time++) expect(await change(user.password)).toBe(200);
  const statuses = await Promise.all(Array.from({ length: 12 }, () => change('not this one')));
  expect(statuses.toSorted()).toEqual([...Array.from({ length: 10 }, () => 403), 429, 429]);
  expect(await change(user.password)).toBe(429);
});

test('administrators do not see an unconfirmed email', async () => {
  const admin = await signUpAdmin(app);
  const client = await signUp();
  await request(client, newAddress());
  const suspended = await (await admin.post(`/api/admin/users/${client.user.id}/suspend`)).json();
  expect(suspended.user.email).toBe(client.user.email);
  expect(suspended.user).not.toHaveProperty('pendingEmail');
});
