import { describe, expect, test } from 'vitest';
import { createApp } from '#api/app.ts';
import { mailTo } from '#api/testing/mails.ts';
import { createTestApp } from '#api/testing/test-app.ts';
import { TestClient } from '#api/testing/test-client.ts';

const TOKEN = 'token-of-the-tests';
const app = await createTestApp({ env: { metricsToken: TOKEN } });
const { deps, visitor, signUp } = app;
const authorization = { Authorization: `Bearer ${TOKEN}` };

/** The value of each series by its name and labels. */
async function read(client = visitor()): Promise<Record<string, number>> {
  const response = await client.get('/metrics', authorization);
  expect(response.status).toBe(200);
  expect(response.headers.get('Content-Type')).toMatch(/^text\/plain; version=0\.0\.4/);
  const lines = (await response.text()).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return Object.fromEntries(
    lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.split(' ').at(-1))]),
  );
}

describe('a request for the metrics', () => {
  test.each([undefined, 'Bearer wrong', `Basic ${TOKEN}`, `Bearer ${TOKEN}x`])(
    'with the Authorization %j gets 404',
    async (header) => {
      const response = await visitor().get('/metrics', header === undefined ? {} : { Authorization: header });
      expect(response.status).toBe(404);
      expect(await response.text()).not.toContain('http_requests_total');
    },
  );

  test('gets 404 when METRICS_TOKEN is not set', async () => {
    const env = { ...deps.env, metricsToken: null };
    const client = new TestClient(createApp({ ...deps, env }), env.publicUrl);
    expect((await client.get('/metrics', authorization)).status).toBe(404);
  });
});

test('requests are counted by call, status and error code, and their duration is measured', async () => {
  const user = await signUp();
  const route = '/api/questions/{id}/vote';
  const before = await read();
  const missingId = '00000000-0000-4000-8000-000000000000';
  await user.post(`/api/questions/${missingId}/vote`, { option: 1 });
  await user.get(`/api/no/such/${missingId}`);
  const after = await read();
  const increaseOf = (series: string) => (after[series] ?? 0) - (before[series] ?? 0);
  expect(
    increaseOf(`http_requests_total{method="POST",route="${route}",status="404",code="not_found"}`),
  ).toBe(1);
  expect(increaseOf(`http_request_duration_seconds_count{method="POST",route="${route}"}`)).toBe(1);
  expect(
    increaseOf('http_requests_total{method="GET",route="other",status="404",code="unknown_endpoint"}'),
  ).toBe(1);
  expect(Object.keys(after).filter((series) => series.includes(missingId))).toEqual([]);
});

test('the state of process, sockets, queues and database is exposed', async () => {
  const user = await signUp();
  await user.post('/api/user/export');
  const metrics = await read();
  expect(metrics.process_resident_memory_bytes).toBeGreaterThan(1e6);
  expect(metrics['queue_length{queue="mails"}']).toBeGreaterThanOrEqual(1);
  expect(metrics).toMatchObject({
    live_sockets: 0,
    'queue_length{queue="jobs"}': 0,
    'queue_length{queue="pushes"}': 0,
    'queue_length{queue="passwords"}': 0,
    'queue_length{queue="images"}': 0,
    'queue_length{queue="exports"}': 1,
  });
  expect(metrics['database_connections{state="active"}']).toBeGreaterThanOrEqual(1);
});

test('a mail that was sent is counted under its purpose', async () => {
  const { user } = await signUp();
  const series = 'mails_total{purpose="verify",outcome="sent"}';
  const before = (await read())[series] ?? 0;
  await mailTo(app, user.email);
  expect((await read())[series]).toBeGreaterThan(before);
});

test.each([
  ['is unavailable', () => Promise.reject(Object.assign(new Error('unavailable'), { code: 'ECONNREFUSED' }))],
  ['does not respond', () => new Promise<never>(() => {})],
])('metrics that do not need the database are exposed while it %s', async (_, query) => {
  const unavailableDb = {
    ...deps.db,
    sql: query,
    orm: { ...deps.db.orm, $count: query },
  };
  const client = new TestClient(createApp({ ...deps, db: unavailableDb as never }), deps.env.publicUrl);
  const metrics = await read(client);
  expect(metrics['queue_length{queue="passwords"}']).toBe(0);
  expect(metrics['queue_length{queue="mails"}']).toBeUndefined();
  expect(metrics['database_connections{state="active"}']).toBeUndefined();
});
