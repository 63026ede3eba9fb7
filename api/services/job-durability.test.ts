import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, inject, test } from 'vitest';
import { brokenRules, storedFiles } from '#api/testing/invariants.ts';
import { createServerData, type ServerProcess, startServerProcess } from '#api/testing/server-process.ts';
import type { Job } from '#shared/admin/schema.ts';

const COUNT = 60;
const FILES_A_POLL = 4;
/** For two starts of the server on a machine that is busy. */
const TIMEOUT_MS = 60_000;
const OWNER_PASSWORD = 'a password for the owner';

const data = await createServerData();
const { DATA_DIR: dataDir = '', DATABASE_URL: url } = data.env;
afterAll(() => data.remove());

// Encoded by whichever test of the run was first.
await cp(inject('samplesDataDir'), dataDir, { recursive: true });

async function start(): Promise<ServerProcess> {
  const server = await startServerProcess({ ...data.env, RATE_LIMITS: 'off', OWNER_PASSWORD });
  await server.listening;
  return server;
}

async function end({ child, exited }: ServerProcess, signal: 'SIGKILL' | 'SIGTERM'): Promise<number | null> {
  child.kill(signal);
  return exited;
}

async function call(server: ServerProcess, path: string, cookie: string, body?: unknown): Promise<Response> {
  return fetch(server.address + path, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { Cookie: cookie, 'Content-Type': 'application/json', Prefer: 'respond-async' },
    body: body === undefined ? null : JSON.stringify(body),
  });
}

test('sample polls are made once each, although the process is killed meanwhile', {
  timeout: TIMEOUT_MS,
}, async () => {
  const first = await start();
  const logIn = await call(first, '/api/login', '', { username: 'owner', password: OWNER_PASSWORD });
  const cookie = logIn.headers.getSetCookie()[0]?.split(';')[0] ?? '';
  const started = await call(first, '/api/admin/generate-polls', cookie, { count: COUNT });
  const { jobId }: { jobId: string } = await started.json();
  const until = async (server: ServerProcess, isReached: (job: Job) => boolean): Promise<Job> => {
    for (;;) {
      const answer = await call(server, `/api/admin/jobs/${jobId}`, cookie);
      if (answer.status !== 200) throw new Error(`${answer.status} ${await answer.text()}`);
      const job: Job = await answer.json();
      if (isReached(job)) return job;
      await sleep(5);
    }
  };

  const killedAt = await until(first, ({ done }) => done > 0);
  await end(first, 'SIGKILL');
  expect(killedAt.done).toBeLessThan(COUNT);
  // On PostgreSQL another process could be at it until then; the embedded database knows better.
  if (url !== undefined) await data.inspect((db) => db.sql`update admin_jobs set leased_until = now()`);
  const second = await start();
  await until(second, ({ state }) => state === 'done');
  expect(await end(second, 'SIGTERM')).toBe(0);

  await data.inspect(async (db) => {
    const [{ count }] = await db.sql<[{ count: number }]>`select count(*)::int as count from polls`;
    expect(count).toBe(COUNT);
    expect(await brokenRules(db)).toEqual([]);
  });
  expect(await storedFiles(join(dataDir, 'uploads'))).toHaveLength(COUNT * FILES_A_POLL);
  expect(await storedFiles(join(dataDir, 'jobs'))).toEqual([]);
});
