import { eq, sql } from 'drizzle-orm';
import { Hono } from 'hono';
import { afterAll, expect, test } from 'vitest';
import { users } from '#api/db/schema/users.ts';
import { AppError } from '#api/errors.ts';
import type { AppEnv } from '#api/http/app-env.ts';
import { createTestDatabase } from '#api/testing/servers/database.ts';
import { createLog, requestLog } from './log.ts';

const USER_INPUT = 'mara@example.org';
const { orm, sql: query, close } = await createTestDatabase();
afterAll(close);

/** The log line of an error, parsed. */
function lineOf(error: unknown): { err: Record<string, unknown> } {
  let line = '';
  createLog('info', { write: (text) => (line = text) }).error({ err: error }, 'It failed');
  return JSON.parse(line);
}

async function failureOf(work: PromiseLike<unknown>): Promise<unknown> {
  return work.then(
    () => expect.unreachable(),
    (error: unknown) => error,
  );
}

test('a database error is logged with its code and without user input', async () => {
  const failures = [
    await failureOf(
      orm
        .select()
        .from(users)
        .where(eq(sql`${USER_INPUT}::int`, 1)),
    ),
    await failureOf(query`select ${USER_INPUT}::text::int`),
  ];
  for (const failure of [...failures, new AppError('internal', { cause: failures[0] })]) {
    const { err } = lineOf(failure);
    expect(err).toMatchObject({ code: '22P02', stack: expect.stringContaining(' at ') });
    expect(JSON.stringify(err)).not.toContain(USER_INPUT);
  }
});

test('an unreachable database is logged with the reason and without the query', () => {
  const cause = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
  const failure = Object.assign(new Error(`Failed query: x\nparams: ${USER_INPUT}`, { cause }), {
    query: 'x',
    params: [USER_INPUT],
  });
  expect(lineOf(failure).err).toMatchObject({ code: 'ECONNREFUSED', message: 'connect ECONNREFUSED' });
  expect(JSON.stringify(lineOf(failure))).not.toContain(USER_INPUT);
});

test('any other error is logged completely', () => {
  const { err } = lineOf(new Error('A shelf broke', { cause: new Error('Too many books') }));
  expect(err).toMatchObject({ type: 'Error', message: 'A shelf broke: Too many books' });
});

test('at the default level the log has API calls and failures, but no served files', async () => {
  const lines: string[] = [];
  const app = new Hono<AppEnv>()
    .use(requestLog(createLog('info', { write: (line) => lines.push(line) })))
    .get('/api/health', (c) => c.json({ ok: true }))
    .get('/assets/index.js', (c) => c.text(''));
  for (const path of ['/api/health?token=secret', '/assets/index.js', '/assets/missing.js']) {
    await app.request(path);
  }
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { path: '/api/health', status: 200 },
    { path: '/assets/missing.js', status: 404 },
  ]);
  expect(lines.join()).not.toContain('secret');
});

test('a username in a path is not logged', async () => {
  const lines: string[] = [];
  const app = new Hono<AppEnv>().use(requestLog(createLog('info', { write: (line) => lines.push(line) })));
  for (const path of ['/api/check-username/', '/api/blocks/']) await app.request(`${path}${USER_INPUT}`);
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { path: '/api/check-username/{username}', status: 404 },
    { path: '/api/blocks/{username}', status: 404 },
  ]);
});

test('a very long path is truncated in the log', async () => {
  const lines: string[] = [];
  const app = new Hono<AppEnv>().use(requestLog(createLog('info', { write: (line) => lines.push(line) })));
  await app.request(`/api/${'x'.repeat(18_000)}`);
  expect(JSON.parse(lines[0] ?? '').path).toMatch(/^\/api\/x{100,200}$/);
});
