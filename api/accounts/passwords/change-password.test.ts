import { expect, test, vi } from 'vitest';
import { mailTo, tokenIn } from '#api/testing/mails.ts';
import { createTestApp, limitedClient, type TestUser } from '#api/testing/test-app.ts';
import type { TestClient } from '#api/testing/test-client.ts';

const app = await createTestApp();
const { db, deps, signUp, visitor } = app;

const changePassword = (client: TestClient, currentPassword: string, newPassword: string) =>
  client.post('/api/user/password', { currentPassword, newPassword });
const isLoggedIn = async (client: TestClient) => (await client.get('/api/user')).status === 200;

async function logIn({ user }: TestUser, password: string): Promise<TestClient> {
  const client = visitor();
  await client.post('/api/login', { username: user.username, password });
  return client;
}

test('a new password replaces the old one and ends all other sessions', async () => {
  const client = await signUp();
  const otherDevice = await logIn(client, client.password);
  const response = await changePassword(client, client.password, 'tall lamp, cold river');
  expect([response.status, (await response.json()).id]).toEqual([200, client.user.id]);
  expect([await isLoggedIn(client), await isLoggedIn(otherDevice)]).toEqual([true, false]);
  expect((await mailTo(app, client.user.email)).subject).toBe('Your password was changed');
  expect(await isLoggedIn(await logIn(client, client.password))).toBe(false);
  expect(await isLoggedIn(await logIn(client, 'tall lamp, cold river'))).toBe(true);
});

test('a wrong current password or a weak new password changes nothing, and the error says why', async () => {
  const client = await signUp();
  await deps.mails.runDue();
  const wrongCurrent = await changePassword(client, 'not this one', 'tall lamp, cold river');
  expect(await wrongCurrent.json()).toMatchObject({
    code: 'wrong_password',
    issues: [{ path: 'currentPassword' }],
  });
  const weakNew = await changePassword(client, client.password, `${client.user.username}!!!!`);
  expect(await weakNew.json()).toMatchObject({ code: 'weak_password', issues: [{ path: 'newPassword' }] });
  for (const newPassword of ['short', 'x'.repeat(129)]) {
    expect((await changePassword(client, client.password, newPassword)).status).toBe(400);
  }
  expect(await isLoggedIn(await logIn(client, client.password))).toBe(true);
  expect((await db.sql`select from mail_queue`).count).toBe(0);
});

test('repeated and concurrent identical requests succeed and send one mail', async () => {
  const client = await signUp();
  await deps.mails.runDue();
  const send = () => changePassword(client, client.password, 'tall lamp, cold river');
  const responses = await Promise.all([send(), send(), send()]);
  responses.push(await send());
  expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  expect(await db.sql`select purpose from mail_queue`).toEqual([{ purpose: 'password-changed' }]);
});

test('of two devices that change the password concurrently, only one succeeds and remains logged in', async () => {
  const client = await signUp();
  const otherDevice = await logIn(client, client.password);
  const responses = await Promise.all([
    changePassword(client, client.password, 'tall lamp, cold river'),
    changePassword(otherDevice, client.password, 'short tree, warm lake'),
  ]);
  expect(responses.map(({ status }) => status).toSorted()).toEqual([200, 403]);
  const sessions = await db.sql`select from sessions where user_id = ${client.user.id}`;
  expect(sessions.count).toBe(1);
});

test('a concurrent login with the old password leaves no session', async () => {
  const client = await signUp();
  const [response] = await Promise.all([
    changePassword(client, client.password, 'tall lamp, cold river'),
    ...Array.from({ length: 5 }, () => logIn(client, client.password)),
  ]);
  expect(response.status).toBe(200);
  expect((await db.sql`select from sessions where user_id = ${client.user.id}`).count).toBe(1);
});

test('changing the password withdraws an unconfirmed new email', async () => {
  const client = await signUp();
  await client.patch('/api/user', { email: 'wish@example.com', currentPassword: client.password });
  const token = tokenIn(await mailTo(app, 'wish@example.com'));
  const publish = vi.spyOn(deps.live, 'publish');
  const response = await changePassword(client, client.password, 'tall lamp, cold river');
  const { rev, ...changed } = await response.json();
  expect(changed).not.toHaveProperty('pendingEmail');
  // The other tabs of this device learn about it.
  expect(publish).toHaveBeenCalledWith(expect.objectContaining({ type: 'user', rev }));
  publish.mockRestore();
  expect((await visitor().get(`/api/verify-email?token=${token}`)).status).toBe(400);
});

test('wrong passwords count towards one limit for changes of the password and of the email', async () => {
  const user = await signUp();
  const { client } = limitedClient(app, user);
  const statuses: number[] = [];
  for (let attempt = 0; attempt < 6; attempt++) {
    statuses.push((await changePassword(client, 'not this one', 'tall lamp, cold river')).status);
    const emailChange = { email: 'wish@example.net', currentPassword: 'not this one' };
    statuses.push((await client.patch('/api/user', emailChange)).status);
  }
  expect(statuses).toEqual([...Array.from({ length: 10 }, () => 403), 429, 429]);
});

test.each([
  ['a right password', [true]],
  ['a repetition', [false, true]],
])(
  '%s that waits until after the window of the limit allows no more wrong passwords in the next window',
  async (_, outcomes) => {
    const { client } = limitedClient(app, await signUp());
    vi.useFakeTimers({ toFake: ['Date', 'performance'] });
    const verify = vi.spyOn(deps.passwords, 'verify');
    try {
      for (const isRight of outcomes) {
        verify.mockImplementationOnce(async () => {
          vi.advanceTimersByTime(16 * 60_000);
          return isRight;
        });
      }
      expect((await changePassword(client, 'current', 'tall lamp, cold river')).status).toBe(200);
      const statuses: number[] = [];
      for (let attempt = 0; attempt < 11; attempt++)
        statuses.push((await changePassword(client, 'not this one', 'short tree, warm lake')).status);
      expect(statuses).toEqual([...Array.from({ length: 10 }, () => 403), 429]);
    } finally {
      verify.mockRestore();
      vi.useRealTimers();
    }
  },
);

test('a visitor cannot change a password', async () => {
  expect((await changePassword(visitor(), 'anything', 'tall lamp, cold river')).status).toBe(401);
});
