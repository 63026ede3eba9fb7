import { expect, test } from 'vitest';
import { mailTo, tokenIn } from '#api/testing/mails.ts';
import { createTestApp } from '#api/testing/test-app.ts';

const app = await createTestApp();
const { db, signUp, visitor } = app;

let accountCount = 0;
function register(password: string, fields: object = {}) {
  accountCount += 1;
  const username = `nina.k${accountCount}`;
  return visitor().post('/api/register', { username, email: `${username}@mailbox.org`, password, ...fields });
}

test.each([
  ['password1', 'Too easy: it is one of the first that people would try.'],
  ['iloveyou', 'Too easy: it is one of the first that people would try.'],
  ['abcdefgh', 'Too easy: it is one of the first that people would try.'],
  ['qwertyuiop', 'Too easy: it is one of the first that people would try.'],
  ['x'.repeat(128), 'Too easy: it is one of the first that people would try.'],
  ['Nina2024!', 'Too easy: it has your name in it.'],
  ['NINA-k-NINA-k', 'Too easy: it has your name in it.'],
  ['mailbox.org', 'Too easy: it has your email in it.'],
  ['This or That?', 'Too easy: it has the name of this app in it.'],
  ['thisORthat-2026', 'Too easy: it has the name of this app in it.'],
])('the password %j is refused as too easy', async (password, message) => {
  const response = await register(password);
  expect(response.status).toBe(422);
  expect(await response.json()).toMatchObject({
    code: 'weak_password',
    message,
    issues: [{ path: 'password', message }],
  });
});

test.each([
  'tall lamp, cold river',
  'correct horse',
  '7Hq9vLp2',
  // The user's name is less than half of this password.
  'no nina in this one',
  'パスワードは長いほど',
])('the password %j is accepted', async (password) => {
  expect((await register(password)).status).toBe(201);
});

test('a refused password creates no account, and the username remains available', async () => {
  const username = 'stays.free';
  expect((await register('password1', { username })).status).toBe(422);
  expect((await register('tall lamp', { username })).status).toBe(201);
});

test('a reset refuses a password that is easy to guess for its account, and the link remains valid', async () => {
  const { user } = await signUp({ username: 'otto.berg' });
  await visitor().post('/api/forgot-password', { email: user.email });
  const token = tokenIn(await mailTo(app, user.email));
  const reset = (password: string) => visitor().post('/api/reset-password', { token, password });
  const response = await reset('Otto-2026');
  expect([response.status, (await response.json()).message]).toEqual([
    422,
    'Too easy: it has your name in it.',
  ]);
  expect((await reset('tall lamp')).status).toBe(200);
});

test('an existing password that would now be refused still works', async () => {
  const { user } = await signUp();
  const passwordHash = await app.deps.passwords.hash('password1', { client: '203.0.113.1' });
  await db.sql`update users set password_hash = ${passwordHash} where id = ${user.id}`;
  const login = { username: user.username, password: 'password1' };
  expect((await visitor().post('/api/login', login)).status).toBe(200);
});
