import { Writable } from 'node:stream';
import { pino } from 'pino';
import { afterAll, expect, test } from 'vitest';
import { freePort } from '#api/testing/servers/free-port.ts';
import { errorBodySchema } from '#shared/errors.ts';
import { healthSchema } from '#shared/http.ts';
import { createApp } from './app.ts';
import { type Database, openPostgres } from './db/client.ts';
import { createLimits } from './http/limits/limits.ts';
import { createTestApp } from './testing/test-app.ts';
import { TestClient } from './testing/test-client.ts';

const lines: string[] = [];
const log = pino(
  new Writable({
    write(chunk, _, done) {
      lines.push(String(chunk));
      done();
    },
  }),
);
const { deps, visitor, signUp } = await createTestApp({ log });
const unreachableDb = openPostgres(`postgres://nobody@127.0.0.1:${await freePort()}/nothing`);
afterAll(() => unreachableDb.close());

test('the app gets an address for page views only if one is configured', async () => {
  const analyticsUrl = 'https://plausible.example.org/api/event';
  const app = createApp({ ...deps, env: { ...deps.env, analyticsUrl } });
  expect(await (await app.request('/api/analytics')).json()).toEqual({ endpoint: analyticsUrl });
  expect(await (await visitor().get('/api/analytics')).json()).toEqual({ endpoint: null });
});

test('responses of the API are not cached, including errors', async () => {
  for (const path of ['/api/health', '/api/user', '/api/nothing']) {
    expect((await visitor().get(path)).headers.get('Cache-Control')).toBe('no-store');
  }
});

test.each([
  ['/api', 'unknown_endpoint'],
  ['/api/', 'unknown_endpoint'],
  ['/api/nothing', 'unknown_endpoint'],
  ['/api/user/', 'unknown_endpoint'],
  ['/api/%E0%A4%A', 'unknown_endpoint'],
  ['/uploads/x', 'not_found'],
  ['/.well-known/nothing', 'not_found'],
])('the unknown path %s gets 404 in JSON', async (path, code) => {
  const response = await visitor().get(path);
  expect(response.status).toBe(404);
  expect(errorBodySchema.parse(await response.json())).toMatchObject({ code });
});

test('the address at which password managers let users change a password redirects to the settings', async () => {
  const response = await visitor().get('/.well-known/change-password');
  expect([response.status, response.headers.get('Location')]).toEqual([302, '/settings']);
});

test('an error response contains the request id under which the request is logged', async () => {
  const response = await visitor().get('/api/user?token=secret');
  const { requestId } = errorBodySchema.parse(await response.json());
  expect(response.headers.get('X-Request-Id')).toBe(requestId);
  const line = lines.find((text) => text.includes(requestId)) ?? '';
  expect(JSON.parse(line)).toMatchObject({ method: 'GET', path: '/api/user', status: 401 });
  expect(line).not.toContain('secret');
});

test('an unexpected error is logged, and the response does not contain its details', async () => {
  const verify = () => Promise.reject(new Error('select secret from users'));
  const passwords = { ...deps.passwords, verify };
  const client = new TestClient(createApp({ ...deps, passwords }), deps.env.publicUrl);
  const response = await client.post('/api/login', { username: 'mara', password: 'x' });
  expect(response.status).toBe(500);
  const text = await response.text();
  expect(JSON.parse(text)).toMatchObject({ code: 'internal' });
  expect(text).not.toContain('secret');
  expect(lines.some((line) => line.includes('select secret from users'))).toBe(true);
});

test('without its database the server responds with 503 and Retry-After, but health still works', async () => {
  const { cookies } = await signUp();
  const client = new TestClient(createApp({ ...deps, db: unreachableDb }), deps.env.publicUrl);
  for (const [name, value] of cookies) client.cookies.set(name, value);

  const response = await client.get('/api/user');
  expect(response.status).toBe(503);
  expect(Number(response.headers.get('Retry-After'))).toBeGreaterThan(0);
  expect(await response.json()).toMatchObject({ code: 'unavailable' });
  expect((await client.get('/api/ready')).status).toBe(503);
  expect((await client.get('/api/health')).status).toBe(200);
});

test('health identifies the app, and a server with a database is ready', async () => {
  const health = await visitor().get('/api/health');
  expect(healthSchema.parse(await health.json())).toMatchObject({ status: 'ok', app: 'this-or-that' });
  expect((await visitor().get('/api/ready')).status).toBe(200);
});

test('readiness queries the database at most once per second, and concurrent checks share a failing query', async () => {
  const appCountingQueries = (db: Database) => {
    const queries = { count: 0 };
    const sql = new Proxy(db.sql, {
      apply(target, self, args) {
        queries.count += 1;
        return Reflect.apply(target as never, self, args);
      },
    });
    return { queries, app: createApp({ ...deps, db: { ...db, sql } }) };
  };
  const { app, queries } = appCountingQueries(deps.db);
  for (let count = 0; count < 20; count += 1) {
    const responses = await Promise.all([app.request('/api/ready'), app.request('/api/ready')]);
    expect(responses.map(({ status }) => status)).toEqual([200, 200]);
  }
  // The 20 rounds may take up to two seconds.
  expect(queries.count).toBeLessThanOrEqual(3);
  await expect
    .poll(async () => {
      await app.request('/api/ready');
      return queries.count;
    })
    .toBeGreaterThan(3);

  const withoutDatabase = appCountingQueries(unreachableDb);
  const responses = await Promise.all(
    Array.from({ length: 20 }, () => withoutDatabase.app.request('/api/ready')),
  );
  expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([503]));
  expect(withoutDatabase.queries.count).toBe(1);
});

test('readiness checks are limited per client', async () => {
  const limits = createLimits(deps.db, { enabled: true });
  const app = createApp({ ...deps, limits, env: { ...deps.env, trustProxy: 1 } });
  const get = (path: string, client: string) => app.request(path, { headers: { 'X-Forwarded-For': client } });
  const responses: Response[] = [];
  for (let count = 0; count < 301; count += 1) responses.push(await get('/api/ready', '192.0.2.1'));
  expect(responses.filter(({ status }) => status === 200)).toHaveLength(300);
  expect(await responses.at(-1)?.json()).toMatchObject({ code: 'rate_limited' });
  expect((await get('/api/health', '192.0.2.1')).status).toBe(200);
  expect((await get('/api/ready', '192.0.2.2')).status).toBe(200);
});

test('a server that is shutting down is not ready', async () => {
  const client = new TestClient(createApp({ ...deps, lifecycle: { isStopping: true } }), deps.env.publicUrl);
  const response = await client.get('/api/ready');
  expect(response.status).toBe(503);
});
