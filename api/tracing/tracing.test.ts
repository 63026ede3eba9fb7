import { randomUUID } from 'node:crypto';
import { pino } from 'pino';
import { afterAll, afterEach, expect, test, vi } from 'vitest';
import { createApp } from '#api/app.ts';
import { mailQueue } from '#api/db/schema/mail.ts';
import { createMailRunner } from '#api/mail/mail-runner.ts';
import { createMailer } from '#api/mail/mail-transport.ts';
import { type CollectedSpan, startCollector } from '#api/testing/external-services/collector.ts';
import { openPoll, postVote } from '#api/testing/poll-factory.ts';
import { createTestApp, type TestUser } from '#api/testing/test-app.ts';
import { TestClient } from '#api/testing/test-client.ts';
import { summaryOf } from './query-spans.ts';
import { type RunningTracing, startTracing } from './start-tracing.ts';

const VOTE = 'POST /api/questions/{id}/vote';
const TRACE_ID = '0af7651916cd43dd8448eb211c80319c';
const PARENT_SPAN_ID = 'b7ad6b7169203331';
const TRACEPARENT = `00-${TRACE_ID}-${PARENT_SPAN_ID}-01`;
/** How OTLP encodes the kinds of spans. */
const KINDS = { server: 2, consumer: 5 };

const collector = await startCollector();
const tracing = { endpoint: collector.address, sampler: 'parentbased_always_on', ratio: 1 } as const;
const app = await createTestApp({ env: { tracing } });
const maker = await app.signUp({ username: 'maker' });
let running: RunningTracing | null = null;

function start(endpoint = collector.address, settings: Parameters<typeof startTracing>[0] = tracing) {
  vi.stubEnv('OTEL_EXPORTER_OTLP_ENDPOINT', endpoint);
  vi.stubEnv('OTEL_SERVICE_NAME', 'polls-of-the-tests');
  const lines: string[] = [];
  const log = pino({ level: 'warn' }, { write: (line) => lines.push(line) });
  running = startTracing(settings, { log, version: '1.2.3' });
  return lines;
}

/** Stops the tracing, and returns the spans that were collected. */
async function stop(): Promise<CollectedSpan[]> {
  await running?.stop();
  running = null;
  return collector.spans.splice(0);
}

afterEach(async () => {
  await stop();
  vi.unstubAllEnvs();
});
afterAll(() => collector.close());

const childrenOf = (parent: CollectedSpan | undefined, spans: readonly CollectedSpan[]) =>
  spans.filter((span) => span.traceId === parent?.traceId && span.parentSpanId === parent.spanId);
const durationOf = (span: CollectedSpan) => BigInt(span.endTimeUnixNano) - BigInt(span.startTimeUnixNano);

/** The browser of `user`, connected to a server with this `trustProxy`. */
function behindProxy(user: TestUser, trustProxy: number): TestClient {
  const env = { ...app.deps.env, trustProxy };
  const client = new TestClient(createApp({ ...app.deps, env }), env.publicUrl);
  for (const [name, value] of user.cookies) client.cookies.set(name, value);
  return client;
}

test('a vote is a trace of the request and its statements, without personal data', async () => {
  const poll = await openPoll(app, maker);
  const voter = await app.signUp({ username: 'private_username' });
  start();
  const response = await voter.post(
    `/api/questions/${poll.id}/vote?secret=hidden`,
    { option: 2 },
    { 'Idempotency-Key': randomUUID(), 'X-Forwarded-For': '203.0.113.77', traceparent: TRACEPARENT },
  );
  expect(response.status).toBe(200);
  const spans = await stop();

  const request = spans.find(({ name }) => name === VOTE);
  expect(request).toMatchObject({
    kind: KINDS.server,
    attributes: {
      'http.request.method': 'POST',
      'http.route': '/api/questions/{id}/vote',
      'http.response.status_code': 200,
      'this_or_that.request_id': response.headers.get('X-Request-Id'),
    },
  });
  // No proxy is trusted.
  expect(request?.traceId).not.toBe(TRACE_ID);
  expect(spans.every(({ traceId }) => traceId === request?.traceId)).toBe(true);
  const statements = childrenOf(request, spans);
  expect(statements.map(({ name }) => name)).toEqual([
    'select server_state, sessions, users',
    'insert votes, update polls, insert notifications, insert point_entries, update users, insert mutation_receipts',
  ]);
  for (const statement of statements) {
    expect(statement.attributes['db.system.name']).toBe('postgresql');
    expect(durationOf(statement)).toBeGreaterThan(0n);
    expect(durationOf(statement)).toBeLessThan(durationOf(request ?? statement));
  }
  expect(collector.resource()).toMatchObject({
    'service.name': 'polls-of-the-tests',
    'service.version': '1.2.3',
  });
  const { id, email } = voter.user;
  // The value 1 of some cookies is not personal, and part of many other values.
  const cookies = [...voter.cookies.values()].filter((value) => value !== '1');
  const personal = ['private_username', email, 'hidden', '203.0.113', poll.id, ...cookies];
  expect(personal.filter((text) => collector.text().includes(text))).toEqual([]);
  expect(spans.flatMap(({ attributes }) => Object.values(attributes))).not.toContain(id);
});

test('the trace context that a trusted proxy sends is used', async () => {
  start();
  const response = await behindProxy(maker, 1).get('/api/user', { traceparent: TRACEPARENT });
  expect(response.status).toBe(200);
  const spans = await stop();
  expect(spans.find(({ name }) => name === 'GET /api/user')).toMatchObject({
    traceId: TRACE_ID,
    parentSpanId: PARENT_SPAN_ID,
  });
});

test('each call of a batch has a span that contains or links to the statement that wrote its vote', async () => {
  const [firstPoll, secondPoll] = [await openPoll(app, maker), await openPoll(app, maker)];
  const voters = [await app.signUp(), await app.signUp()];
  start();
  const requests = [firstPoll, secondPoll].map(({ id }) => ({
    method: 'POST',
    path: `/api/questions/${id}/vote`,
    key: randomUUID(),
    body: JSON.stringify({ option: 1 }),
  }));
  const responses = await Promise.all(voters.map((voter) => voter.post('/api/batch', { requests })));
  expect(responses.map(({ status }) => status)).toEqual([200, 200]);
  const spans = await stop();
  const batches = spans.filter(({ name }) => name === 'POST /api/batch');
  expect(batches).toHaveLength(2);
  const statements = spans.filter(({ name }) => name.startsWith('insert votes'));
  for (const batch of batches) {
    const calls = childrenOf(batch, spans).filter(({ name }) => name === VOTE);
    expect(calls).toHaveLength(2);
    for (const call of calls) {
      const linked = childrenOf(call, spans)
        .filter(({ name }) => name === 'together with another request')
        .flatMap(({ links = [] }) => links);
      const ids = [call, ...linked].map(({ spanId }) => spanId);
      expect(statements.some(({ parentSpanId = '' }) => ids.includes(parentSpanId))).toBe(true);
    }
  }
});

test('the span of a failed call has its error code, and the span of an unknown path does not contain the path', async () => {
  start();
  await postVote(maker, randomUUID(), 1);
  await maker.get('/api/no/such/path');
  const spans = await stop();
  expect(spans.find(({ name }) => name === VOTE)?.attributes).toMatchObject({
    'http.response.status_code': 404,
    'error.type': 'not_found',
  });
  expect(spans.map(({ name }) => name)).toContain('GET /api/*');
});

test('a mail is a trace that links to the request that queued it', async () => {
  await app.deps.mails.runDue();
  const { db, env, log } = app.deps;
  const mails = createMailRunner({ db, log, mailer: createMailer(env, log), exceptTo: 'nobody@example.org' });
  const client = new TestClient(createApp({ ...app.deps, mails }), env.publicUrl);
  start();
  expect((await client.post('/api/forgot-password', { email: maker.user.email })).status).toBe(200);
  await expect.poll(() => db.orm.$count(mailQueue)).toBe(0);
  await mails.stop();
  const spans = await stop();
  const mailSpan = spans.find(({ name }) => name === 'process mail_queue');
  expect(mailSpan).toMatchObject({
    kind: KINDS.consumer,
    attributes: { 'messaging.destination.name': 'mail_queue' },
  });
  expect(mailSpan?.parentSpanId ?? '').toBe('');
  expect(childrenOf(mailSpan, spans).map(({ name }) => name)).toContain('commit');
  const request = spans.find(({ name }) => name === 'POST /api/forgot-password');
  expect(mailSpan?.traceId).not.toBe(request?.traceId);
  expect(mailSpan?.links).toMatchObject([{ traceId: request?.traceId, spanId: request?.spanId }]);
  expect(collector.text()).not.toContain('maker');
});

test('with a sampling ratio of 0 no spans are exported', async () => {
  start(collector.address, { sampler: 'parentbased_traceidratio', ratio: 0 });
  await maker.get('/api/user');
  expect(await stop()).toEqual([]);
});

test('an unavailable collector is logged, fails no call, and delays the shutdown only briefly', async () => {
  const closedCollector = await startCollector();
  await closedCollector.close();
  const lines = start(closedCollector.address);
  const poll = await openPoll(app, maker);
  const voter = await app.signUp();
  expect((await postVote(voter, poll.id, 1)).status).toBe(200);
  const startMs = performance.now();
  await stop();
  expect(performance.now() - startMs).toBeLessThan(5_000);
  expect(lines.join()).toContain('Traces could not be exported');
});

test.each([
  ['select "polls"."id" from "polls" where "id" = $1', 'select polls'],
  ['update "users" set "points" = $1 where "id" = $2', 'update users'],
  [
    'with x as (delete from sessions returning 1) insert into mail_queue select 1',
    'delete sessions, insert mail_queue',
  ],
  ['select 1 from users u join "polls" p on true order by id for no key update of u', 'select users, polls'],
  [
    'select extract(epoch from min(time)) from recent_calls, unnest(times) time join now() on true',
    'select recent_calls',
  ],
  ['select 1 from polls cross join lateral (values (1), (2)) image (path)', 'select polls'],
  ['insert into a values (1) on conflict (id) do update set n = 2', 'insert a'],
  ['begin ', 'begin'],
  ["select 'update secret' from users", 'select users'],
  ['', 'query'],
])('the span of the statement %j is named %j', (statement, name) => {
  expect(summaryOf(statement)).toBe(name);
});
