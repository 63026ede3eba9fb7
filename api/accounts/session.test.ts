import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { createApp } from '#api/app.ts';
import { createTestApp, type TestUser } from '#api/testing/test-app.ts';
import { TestClient } from '#api/testing/test-client.ts';

const { db, deps, signUp, visitor } = await createTestApp();

test('the session cookie lasts 60 days and is not available to scripts and other sites', async () => {
  const { user, password } = await signUp();
  const response = await visitor().post('/api/login', { username: user.username, password });
  const [cookie = ''] = response.headers.getSetCookie();
  const [pair, ...attributes] = cookie.split('; ');
  expect(pair).toMatch(/^sid=[A-Za-z0-9_-]{43}$/);
  expect(attributes.sort()).toEqual(['HttpOnly', 'Max-Age=5184000', 'Path=/', 'SameSite=Lax']);
});

test('a cookie that scripts can read is set and deleted with the session', async () => {
  const { user, password } = await signUp();
  const client = visitor();
  const [, cookie = ''] = (
    await client.post('/api/login', { username: user.username, password })
  ).headers.getSetCookie();
  const [pair, ...attributes] = cookie.split('; ');
  expect(pair).toBe('logged_in=1');
  expect(attributes.sort()).toEqual(['Max-Age=5184000', 'Path=/', 'SameSite=Strict']);
  const loggedOut = await client.post('/api/logout');
  expect(loggedOut.headers.getSetCookie()[1]).toMatch(/^logged_in=; Max-Age=0/);
});

test('with HTTPS the session cookie is bound to the host and only sent encrypted', async () => {
  const publicUrl = 'https://polls.example.org';
  const app = createApp({ ...deps, env: { ...deps.env, publicUrl, origins: [publicUrl], isHttps: true } });
  const { user, password } = await signUp();
  const client = new TestClient(app, publicUrl);
  const response = await client.post('/api/login', { username: user.username, password });
  const [cookie = ''] = response.headers.getSetCookie();
  expect(cookie).toMatch(/^__Host-sid=/);
  expect(cookie.split('; ')).toContain('Secure');
  expect((await client.get('/api/user')).status).toBe(200);
  const { components } = await (await client.get('/api/openapi.json')).json();
  expect(components.securitySchemes.session).toMatchObject({ in: 'cookie', name: '__Host-sid' });
  const loggedOut = await client.post('/api/logout');
  expect(loggedOut.headers.getSetCookie()[0]).toMatch(/^__Host-sid=; Max-Age=0/);
});

test('a browser that reads the user gets a marker cookie once, for 400 days', async () => {
  const client = await signUp();
  const response = await client.get('/api/user');
  const [cookie = ''] = response.headers.getSetCookie();
  const [pair, ...attributes] = cookie.split('; ');
  expect(pair).toBe('device=1');
  expect(attributes.sort()).toEqual(['Max-Age=34560000', 'Path=/', 'SameSite=Strict']);
  expect((await client.get('/api/user')).headers.getSetCookie()).toEqual([]);
  expect((await visitor().get('/api/user')).headers.getSetCookie()).toEqual([]);
});

test('the count of waiting changes is copied into a cookie that lasts 400 days', async () => {
  const client = await signUp();
  client.cookies.set('device', '1');
  // The id of a user and the number of their waiting changes.
  client.cookies.set('waiting', '5000.3');
  const [cookie = ''] = (await client.get('/api/user')).headers.getSetCookie();
  const [pair, ...attributes] = cookie.split('; ');
  expect(pair).toBe('waiting_copy=5000.3');
  expect(attributes.sort()).toEqual(['Max-Age=34560000', 'Path=/', 'SameSite=Strict']);
});

test.each(['', '5000', 'x.3', '5000.3.1', '5000.%3B3'])(
  'the malformed count "%s" is not copied',
  async (waiting) => {
    const client = await signUp();
    client.cookies.set('device', '1');
    client.cookies.set('waiting', waiting);
    expect((await client.get('/api/user')).headers.getSetCookie()).toEqual([]);
  },
);

test('the database contains only the hash of a session token', async () => {
  const { cookies, user } = await signUp();
  const token = cookies.get('sid') ?? '';
  const [row] = await db.sql<[{ hash: string }]>`
    select token_hash as hash from sessions where user_id = ${user.id}`;
  expect(row.hash).toBe(createHash('sha256').update(token).digest('hex'));
});

test('a login never reuses the session token that the browser has sent', async () => {
  const { user, password } = await signUp();
  const presetToken = 'A'.repeat(43);
  const client = visitor();
  client.cookies.set('sid', presetToken);
  expect((await client.get('/api/user')).status).toBe(401);
  await client.post('/api/login', { username: user.username, password });
  expect(client.cookies.get('sid')).not.toBe(presetToken);
  expect((await client.get('/api/user')).status).toBe(200);
});

test('a new login in the same browser ends the previous session', async () => {
  const browser = await signUp();
  const previousSession = visitor();
  previousSession.cookies.set('sid', browser.cookies.get('sid') ?? '');
  await browser.post('/api/login', { username: browser.user.username, password: browser.password });
  expect((await previousSession.get('/api/user')).status).toBe(401);
  expect((await browser.get('/api/user')).status).toBe(200);
});

test('signing up in a logged-in browser ends the previous session', async () => {
  const browser = await signUp();
  const previousSession = visitor();
  previousSession.cookies.set('sid', browser.cookies.get('sid') ?? '');
  const account = { username: 'second', email: 'second@example.org', password: 'a second password' };
  const refusedSignUp = await browser.post('/api/register', { ...account, username: browser.user.username });
  expect(refusedSignUp.status).toBe(409);
  expect((await previousSession.get('/api/user')).status).toBe(200);
  expect((await browser.post('/api/register', account)).status).toBe(201);
  expect((await previousSession.get('/api/user')).status).toBe(401);
  expect(await (await browser.get('/api/user')).json()).toMatchObject({ username: 'second' });
});

test('a logout ends only its own session', async () => {
  const phone = await signUp();
  const laptop = visitor();
  await laptop.post('/api/login', { username: phone.user.username, password: phone.password });
  const thief = visitor();
  thief.cookies.set('sid', phone.cookies.get('sid') ?? '');

  const response = await phone.post('/api/logout');
  expect(response.status).toBe(204);
  expect(response.headers.get('Clear-Site-Data')).toBe('"cache"');
  expect(phone.cookies.has('sid')).toBe(false);
  expect((await thief.get('/api/user')).status).toBe(401);
  expect((await laptop.get('/api/user')).status).toBe(200);
});

test('a logout without a session succeeds', async () => {
  expect((await visitor().post('/api/logout')).status).toBe(204);
});

test.each(['', 'x', 'A'.repeat(43), 'A'.repeat(5_000), '%00'])(
  'a request with the invalid session token %j gets the error `unauthenticated`',
  async (token) => {
    const client = visitor();
    client.cookies.set('sid', token);
    const response = await client.get('/api/user');
    expect(response.status).toBe(401);
    expect(await response.json()).toMatchObject({ code: 'unauthenticated' });
  },
);

test('a session expires after 14 days without use', async () => {
  const client = await signUp();
  await db.sql`
    update sessions set last_seen_at = now() - interval '13 days 23 hours' where user_id = ${client.user.id}`;
  expect((await client.get('/api/user')).status).toBe(200);
  await db.sql`
    update sessions set last_seen_at = now() - interval '14 days 1 second' where user_id = ${client.user.id}`;
  expect((await client.get('/api/user')).status).toBe(401);
});

test('a session expires after 60 days even if it is used', async () => {
  const client = await signUp();
  await db.sql`
    update sessions set created_at = now() - interval '59 days 23 hours' where user_id = ${client.user.id}`;
  expect((await client.get('/api/user')).status).toBe(200);
  await db.sql`
    update sessions set created_at = now() - interval '60 days 1 second' where user_id = ${client.user.id}`;
  expect((await client.get('/api/user')).status).toBe(401);
});

test('the last use of a session is stored at most once per hour', async () => {
  const [recent, longUnseen] = [await signUp(), await signUp()];
  const setAge = ({ user }: TestUser, minutes: number) =>
    db.sql`update sessions set last_seen_at = now() - make_interval(mins => ${minutes}) where user_id = ${user.id}`;
  const ageS = async ({ user }: TestUser) => {
    const [row] = await db.sql<[{ age: number }]>`
      select extract(epoch from now() - last_seen_at)::int as age from sessions where user_id = ${user.id}`;
    return row.age;
  };
  await setAge(recent, 50);
  await setAge(longUnseen, 70);
  await recent.get('/api/user');
  await longUnseen.get('/api/user');
  await expect.poll(() => ageS(longUnseen)).toBeLessThan(60);
  expect(await ageS(recent)).toBeGreaterThan(2_900);
});

test('a request in the session of a suspended user gets 401', async () => {
  const client = await signUp();
  await db.sql`update users set is_suspended = true where id = ${client.user.id}`;
  expect((await client.get('/api/user')).status).toBe(401);
});

test('administrator rights are read with every request', async () => {
  const client = await signUp();
  await db.sql`update users set is_admin = true where id = ${client.user.id}`;
  expect(await (await client.get('/api/user')).json()).toMatchObject({ isAdmin: true });
});

test('a request that expects another user gets the error `actor_mismatch`', async () => {
  const client = await signUp();
  const otherUserId = String(client.user.id + 1);
  for (const path of ['/api/user', '/api/questions', '/api/user/questions', '/api/trending']) {
    const response = await client.get(path, { 'X-Expected-User': otherUserId });
    expect(response.status, path).toBe(409);
    expect(await response.json()).toMatchObject({ code: 'actor_mismatch' });
    expect((await client.get(path, { 'X-Expected-User': String(client.user.id) })).status, path).toBe(200);
  }
});

test('the query that reads sessions is not planned for each request', async () => {
  const client = await signUp();
  await db.sql`
    insert into sessions (token_hash, user_id)
    select 'session ' || n, ${client.user.id}::int from generate_series(1, 10000) n`;
  await db.sql`analyze sessions`;
  // PostgreSQL plans a prepared statement anew at least the first five times.
  for (let requests = 0; requests < 10; requests += 1) await client.get('/api/user');
  const plans = await db.dedicated.reads(
    ({ sql }) => sql`
      select generic_plans > 0 as "isReused" from pg_prepared_statements
      where statement like ${'select %"last_seen_at" < now()%'}`,
  );
  expect(plans).toEqual([{ isReused: true }]);
});
