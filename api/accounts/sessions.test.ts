import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { hashToken } from '#api/http/session/secret-tokens.ts';
import { SESSION_CHECK_INTERVAL_MS } from '#api/live/live-hub.ts';
import { mailTo, tokenIn } from '#api/testing/mails.ts';
import { connect, serveLive } from '#api/testing/servers/live-server.ts';
import { createTestApp, type TestUser } from '#api/testing/test-app.ts';
import type { TestClient } from '#api/testing/test-client.ts';
import { SESSIONS_MAX } from '#shared/accounts/constants.ts';
import { SOCKET_CLOSE_CODES } from '#shared/live/constants.ts';

const app = await createTestApp({ env: { trustProxy: 1 } });
const address = await serveLive(app);
const { db, signUp, visitor } = app;

/** Less than the timeout of a test, and much less than the interval of the check that would also close these sockets. */
const AT_ONCE_MS = SESSION_CHECK_INTERVAL_MS / 6;

const FIREFOX = {
  'User-Agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0',
  'X-Forwarded-For': '2a02:8108:1:2::7',
};
const PHONE = {
  'User-Agent': 'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 Chrome/131.0.0.0 Mobile Safari/537.36',
  'X-Forwarded-For': '84.190.3.9',
};

async function logIn(
  { user, password }: TestUser,
  headers: Record<string, string> = {},
): Promise<TestClient> {
  const client = visitor();
  const response = await client.post('/api/login', { username: user.username, password }, headers);
  expect(response.status).toBe(200);
  return client;
}
const listSessions = async (client: TestClient) => (await client.get('/api/sessions')).json();
const isLoggedIn = async (client: TestClient) => (await client.get('/api/user')).status === 200;

test('a user sees their own sessions, this browser first', async () => {
  const client = await signUp();
  await signUp();
  await logIn(client, FIREFOX);
  const phone = await logIn(client, PHONE);
  const sessions = await listSessions(phone);
  expect(sessions).toMatchObject([
    { device: 'Chrome on Android', network: '84.190', current: true },
    { device: 'Firefox on Linux', network: '2a02:8108', current: false },
    { device: 'Another browser', network: '127.0', current: false },
  ]);
  for (const { createdAt, lastUsedAt } of sessions) {
    expect(Date.now() - Date.parse(createdAt)).toBeLessThan(60_000);
    expect(lastUsedAt).toBe(createdAt);
  }
});

test('a login beyond the maximum ends the least recently used session and closes its sockets', async () => {
  const oldest = await signUp();
  const id = oldest.user.id;
  const otherUser = await signUp();
  await db.sql`update sessions set last_seen_at = now() - interval '9 days' where user_id in (${id}, ${otherUser.user.id})`;
  await db.sql`
    insert into sessions (token_hash, user_id, last_seen_at)
    select ${id}::text || ' ' || nth, ${id}, now() - make_interval(hours => nth) from generate_series(1, ${SESSIONS_MAX - 1}::int) nth`;
  const socket = await connect(address, oldest);
  // Connecting the socket updates `last_seen_at`, so it is set back again.
  const hash = hashToken(oldest.cookies.get('sid') ?? '');
  const isUpdated = async () =>
    (
      await db.sql`select from sessions where token_hash = ${hash} and last_seen_at > now() - interval '1 day'`
    ).count === 1;
  await expect.poll(isUpdated).toBe(true);
  await db.sql`update sessions set last_seen_at = now() - interval '9 days' where token_hash = ${hash}`;
  const newest = await logIn(oldest);
  expect(await listSessions(newest)).toHaveLength(SESSIONS_MAX);
  expect(await socket.closed).toBe(SOCKET_CLOSE_CODES.SESSION_ENDED);
  expect([await isLoggedIn(oldest), await isLoggedIn(newest), await isLoggedIn(otherUser)]).toEqual([
    false,
    true,
    true,
  ]);
});

test('the list contains neither tokens, nor their hashes, nor expired sessions', async () => {
  const client = await signUp();
  const otherBrowser = await logIn(client);
  const token = otherBrowser.cookies.get('sid') ?? '';
  const text = JSON.stringify(await listSessions(client));
  expect(text).not.toContain(token);
  expect(text).not.toContain(hashToken(token));
  await db.sql`update sessions set last_seen_at = now() - interval '15 days' where token_hash = ${hashToken(token)}`;
  expect(await listSessions(client)).toHaveLength(1);
});

test('a session shows the device and network from which it was last used', async () => {
  const client = await signUp();
  await db.sql`update sessions set device = '', network = '', last_seen_at = now() - interval '2 hours'
    where user_id = ${client.user.id}`;
  await client.get('/api/user', PHONE);
  const isStored = async () =>
    (await db.sql`select from sessions where user_id = ${client.user.id} and device <> ''`).count === 1;
  await expect.poll(isStored).toBe(true);
  expect(await listSessions(client)).toMatchObject([{ device: 'Chrome on Android', network: '84.190' }]);
});

test('ending a session closes its sockets at once and affects no other session', async () => {
  const client = await signUp();
  const laptop = await logIn(client, FIREFOX);
  const phone = await logIn(client, PHONE);
  const [endedSocket, keptSocket] = [await connect(address, phone), await connect(address, laptop)];
  const phoneSession = (await listSessions(phone))[0];
  const startMs = performance.now();
  expect((await client.delete(`/api/sessions/${phoneSession.id}`)).status).toBe(204);
  expect(await endedSocket.closed).toBe(SOCKET_CLOSE_CODES.SESSION_ENDED);
  expect(performance.now() - startMs).toBeLessThan(AT_ONCE_MS);
  expect([await isLoggedIn(client), await isLoggedIn(laptop), await isLoggedIn(phone)]).toEqual([
    true,
    true,
    false,
  ]);
  // Time for the other socket to be closed as well, if it is wrongly affected.
  await sleep(50);
  expect(keptSocket.ws.readyState).toBe(keptSocket.ws.OPEN);
  keptSocket.ws.close();
  expect((await client.delete(`/api/sessions/${phoneSession.id}`)).status).toBe(404);
});

test('a user cannot end an unknown session or a session of another user', async () => {
  const client = await signUp();
  const [session] = await listSessions(client);
  const otherUser = await signUp();
  for (const id of [session.id, randomUUID(), 'x']) {
    const response = await otherUser.delete(`/api/sessions/${id}`);
    expect([response.status, (await response.json()).code]).toEqual([404, 'not_found']);
  }
  expect((await visitor().delete(`/api/sessions/${session.id}`)).status).toBe(401);
  expect((await visitor().get('/api/sessions')).status).toBe(401);
  expect((await visitor().delete('/api/sessions')).status).toBe(401);
  expect(await isLoggedIn(client)).toBe(true);
});

test('ending this browser’s session logs it out', async () => {
  const client = await signUp();
  const [session] = await listSessions(client);
  const response = await client.delete(`/api/sessions/${session.id}`);
  expect([response.status, response.headers.get('Clear-Site-Data')]).toEqual([204, '"cache"']);
  expect(client.cookies.has('sid')).toBe(false);
  expect(await isLoggedIn(client)).toBe(false);
});

test('ending all other sessions closes their sockets and is idempotent', async () => {
  const client = await signUp();
  const phone = await logIn(client, PHONE);
  const socket = await connect(address, phone);
  const otherUser = await signUp();
  for (let attempt = 0; attempt < 2; attempt++)
    expect((await client.delete('/api/sessions')).status).toBe(204);
  expect(await socket.closed).toBe(SOCKET_CLOSE_CODES.SESSION_ENDED);
  expect(await listSessions(client)).toMatchObject([{ current: true }]);
  expect([await isLoggedIn(phone), await isLoggedIn(otherUser)]).toEqual([false, true]);
});

test('changing the password closes the sockets of the other sessions at once', async () => {
  const client = await signUp();
  const phone = await logIn(client, PHONE);
  const socket = await connect(address, phone);
  const change = { currentPassword: client.password, newPassword: 'tall lamp, cold river' };
  expect((await client.post('/api/user/password', change)).status).toBe(200);
  const respondedMs = performance.now();
  expect(await socket.closed).toBe(SOCKET_CLOSE_CODES.SESSION_ENDED);
  expect(performance.now() - respondedMs).toBeLessThan(AT_ONCE_MS);
});

test('resetting the password closes the sockets of all sessions at once', async () => {
  const client = await signUp();
  const sockets = [await connect(address, client), await connect(address, await logIn(client, PHONE))];
  await visitor().post('/api/forgot-password', { email: client.user.email });
  const token = tokenIn(await mailTo(app, client.user.email));
  const reset = { token, password: 'tall lamp, cold river' };
  expect((await visitor().post('/api/reset-password', reset)).status).toBe(200);
  const respondedMs = performance.now();
  for (const socket of sockets) expect(await socket.closed).toBe(SOCKET_CLOSE_CODES.SESSION_ENDED);
  expect(performance.now() - respondedMs).toBeLessThan(AT_ONCE_MS);
});
