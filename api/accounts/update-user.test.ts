import { expect, test } from 'vitest';
import { mailTo, tokenIn } from '#api/testing/mails.ts';
import { createTestApp, limitedClient, renewingHash } from '#api/testing/test-app.ts';
import { userSchema } from '#shared/accounts/schema.ts';

const app = await createTestApp();
const { db, deps, signUp, visitor } = app;

const queuedMails = () => db.sql`select purpose, user_id as "userId" from mail_queue order by purpose`;

test('a new username is saved and announced by one mail, which does not contain the username', async () => {
  const client = await signUp();
  expect(
    (await visitor().get(`/api/verify-email?token=${tokenIn(await mailTo(app, client.user.email))}`)).ok,
  ).toBe(true);
  const response = await client.patch('/api/user', { username: ' New.Name ' });
  expect(response.status).toBe(200);
  const user = userSchema.parse(await response.json());
  expect(user).toEqual({ ...client.user, username: 'New.Name', isVerified: true, rev: client.user.rev + 2 });
  expect(await (await client.get('/api/user')).json()).toEqual(user);
  // No mail about the same name, or about another case of it, which changes nothing for logins.
  for (const username of ['New.Name', 'new.NAME']) await client.patch('/api/user', { username });
  expect(await queuedMails()).toEqual([{ purpose: 'username-changed', userId: user.id }]);
  const mail = await mailTo(app, user.email);
  expect(mail.subject).toBe('Your username was changed');
  expect(mail.text).toContain('Not you? Change your password there');
  for (const text of [mail.text, mail.html]) {
    expect(text).toContain('/settings');
    expect(text).not.toMatch(/new.name/i);
  }
});

test('a user can change the username 10 times per hour, without mails to an unverified email', async () => {
  const { client } = limitedClient(app, await signUp());
  await deps.mails.runDue();
  const rename = async (username: string) => (await client.patch('/api/user', { username })).status;
  const statuses: number[] = [];
  for (let index = 0; index < 11; index += 1) statuses.push(await rename(`renamed${index}`));
  expect(statuses).toEqual([...Array.from({ length: 10 }, () => 200), 429]);
  // A change of the letter case does not count.
  expect(await rename('RENAMED9')).toBe(200);
  expect(await queuedMails()).toEqual([]);
});

test('a request for a new email queues a mail to each address, and its confirmation voids all earlier links', async () => {
  const client = await signUp();
  const oldEmail = client.user.email;
  const verification = tokenIn(await mailTo(app, oldEmail));
  await visitor().post('/api/forgot-password', { email: oldEmail });
  const reset = tokenIn(await mailTo(app, oldEmail));
  await visitor().get(`/api/verify-email?token=${verification}`);

  const response = await client.patch('/api/user', {
    email: 'New@example.org',
    currentPassword: client.password,
  });
  expect(await response.json()).toMatchObject({
    email: oldEmail,
    pendingEmail: 'New@example.org',
    isVerified: true,
  });
  expect(await queuedMails()).toEqual([
    { purpose: 'email-change', userId: client.user.id },
    { purpose: 'verify', userId: client.user.id },
  ]);
  expect((await visitor().get(`/api/verify-email?token=${verification}`)).status).toBe(400);

  const token = tokenIn(await mailTo(app, 'New@example.org'));
  await visitor().post('/api/forgot-password', { email: oldEmail });
  expect((await visitor().get(`/api/verify-email?token=${token}`)).status).toBe(200);
  const user = await (await client.get('/api/user')).json();
  expect(user).toMatchObject({ email: 'New@example.org', isVerified: true });
  expect(user).not.toHaveProperty('pendingEmail');
  expect(await queuedMails()).toEqual([{ purpose: 'email-changed', userId: client.user.id }]);
  const resetResponse = await visitor().post('/api/reset-password', { token: reset, password: 'taken over' });
  expect(resetResponse.status).toBe(400);
});

test('a new email can be requested while a login renews the hash of the password', async () => {
  const account = await signUp();
  const { client } = limitedClient(app, account, { passwords: renewingHash(app, account) });
  const change = { email: 'renewed@example.org', currentPassword: account.password };
  const response = await client.patch('/api/user', change);
  expect([response.status, (await response.json()).pendingEmail]).toEqual([200, change.email]);
});

test('unchanged values have no effect and send no mail', async () => {
  const client = await signUp();
  await deps.mails.runDue();
  const { username, email } = client.user;
  for (const body of [{}, { username }, { email }, { username, email: ` ${email} ` }, { points: 1_000 }]) {
    const response = await client.patch('/api/user', body);
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual(client.user);
  }
  expect(await queuedMails()).toEqual([]);
});

test('a change to a taken username or email, in any letter case, gets the same message for both', async () => {
  const otherUser = await signUp({ username: 'Taken', email: 'taken@example.org' });
  const client = await signUp();
  const changes = [
    { username: 'tAKEN' },
    { email: 'TAKEN@example.org' },
    { username: 'free', email: 'taken@example.org' },
  ];
  const messages = new Set<string>();
  for (const change of changes) {
    const response = await client.patch('/api/user', { ...change, currentPassword: client.password });
    expect(response.status).toBe(409);
    const { code, message } = await response.json();
    expect(code).toBe('taken');
    messages.add(message);
  }
  expect(messages.size).toBe(1);
  expect(await (await client.get('/api/user')).json()).toEqual(client.user);
  expect(await (await otherUser.get('/api/user')).json()).toEqual(otherUser.user);
});

test('users can change the letter case of their username', async () => {
  const client = await signUp({ username: 'mara' });
  expect(await (await client.patch('/api/user', { username: 'Mara' })).json()).toMatchObject({
    username: 'Mara',
  });
});

test('of ten users who request the same email and confirm it concurrently, only one gets it', async () => {
  const clients = await Promise.all(Array.from({ length: 10 }, () => signUp()));
  const tokens: string[] = [];
  for (const client of clients) {
    const change = { email: 'wanted@example.org', currentPassword: client.password };
    expect((await client.patch('/api/user', change)).status).toBe(200);
    tokens.push(tokenIn(await mailTo(app, 'wanted@example.org')));
  }
  const responses = await Promise.all(
    tokens.map((token) => visitor().get(`/api/verify-email?token=${token}`)),
  );
  expect(responses.map(({ status }) => status).sort()).toEqual([
    200,
    ...Array.from({ length: 9 }, () => 409),
  ]);
  const users = await Promise.all(clients.map(async (client) => (await client.get('/api/user')).json()));
  for (const [index, user] of users.entries()) {
    const email = responses[index]?.status === 200 ? 'wanted@example.org' : clients[index]?.user.email;
    expect([user.email, user.pendingEmail]).toEqual([email, undefined]);
  }
});

test('a new username and a new email, changed by concurrent requests, are both saved', async () => {
  const client = await signUp();
  await Promise.all([
    client.patch('/api/user', { username: 'renamed' }),
    client.patch('/api/user', { email: 'moved@example.org', currentPassword: client.password }),
  ]);
  expect(await (await client.get('/api/user')).json()).toMatchObject({
    username: 'renamed',
    pendingEmail: 'moved@example.org',
  });
});

test('a verification mail sent during a change of the email leaves no valid token for the old email', async () => {
  const client = await signUp();
  const [change] = await Promise.all([
    client.patch('/api/user', { email: 'quick@example.org', currentPassword: client.password }),
    deps.mails.runDue(),
  ]);
  expect(change.status).toBe(200);
  const staleTokens = await db.sql`
    select from email_tokens
    where user_id = ${client.user.id} and purpose = 'verify' and email = ${client.user.email}`;
  expect(staleTokens.count).toBe(0);
  const token = tokenIn(await mailTo(app, 'quick@example.org'));
  expect((await visitor().get(`/api/verify-email?token=${token}`)).status).toBe(200);
});

test.each<[string, Record<string, unknown>]>([
  ['Username must be at least 3 characters', { username: 'ab' }],
  ['Please enter a valid email', { email: 'nobody' }],
  ['Username must be at least 3 characters', { username: null }],
])('an invalid update is refused with "%s"', async (message, body) => {
  const response = await (await signUp()).patch('/api/user', body);
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({ code: 'invalid_input', message });
});

test('a visitor cannot change any account', async () => {
  expect((await visitor().patch('/api/user', { username: 'nobody' })).status).toBe(401);
});
