import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, inject, test } from 'vitest';
import { cookieHeader } from '#api/testing/cookies.ts';
import { storedFiles, violatedInvariants } from '#api/testing/invariants.ts';
import { FILES_PER_POLL } from '#api/testing/poll-factory.ts';
import {
  createServerData,
  PROCESS_TEST_TIMEOUT_MS,
  type ServerProcess,
  startServerProcess,
} from '#api/testing/servers/server-process.ts';
import type { Job } from '#shared/admin/schema.ts';

const POLL_COUNT = 60;
const OWNER_PASSWORD = 'a password for the owner';

const data = await createServerData();
const { DATA_DIR: dataDir = '', DATABASE_URL: databaseUrl } = data.env;
afterAll(() => data.remove(), PROCESS_TEST_TIMEOUT_MS);

// The illustrations that earlier tests of the run have encoded.
await cp(inject('samplesDataDir'), dataDir, { recursive: true });

async function startServer(): Promise<ServerProcess> {
  const server = await startServerProcess({ ...data.env, RATE_LIMITS: 'off', OWNER_PASSWORD });
  await server.listening;
  return server;
}

async function stopServer(
  { child, exited }: ServerProcess,
  signal: 'SIGKILL' | 'SIGTERM',
): Promise<number | null> {
  child.kill(signal);
  return exited;
}

async function request(
  server: ServerProcess,
  path: string,
  cookie: string,
  body?: unknown,
): Promise<Response> {
  return fetch(server.address + path, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { Cookie: cookie, 'Content-Type': 'application/json', Prefer: 'respond-async' },
    body: body === undefined ? null : JSON.stringify(body),
  });
}

/** The progress of a job whose process was killed. */
async function readJob(jobId: string): Promise<{ done: number; hasEnded: boolean }> {
  return data.inspect(async (db) => {
    const [row] = await db.sql<[{ done: number; hasEnded: boolean }]>`
      select done, ended_at is not null as "hasEnded" from admin_jobs where id = ${jobId}`;
    return row;
  });
}

test('a job creates its polls exactly once even if its process is killed', {
  timeout: PROCESS_TEST_TIMEOUT_MS,
}, async () => {
  let server = await startServer();
  const login = await request(server, '/api/login', '', { username: 'owner', password: OWNER_PASSWORD });
  const cookie = cookieHeader(login);
  const waitForJob = async (jobId: string, isReached: (job: Job) => boolean): Promise<Job> => {
    for (;;) {
      const response = await request(server, `/api/admin/jobs/${jobId}`, cookie);
      if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
      const job: Job = await response.json();
      if (isReached(job)) return job;
      await sleep(5);
    }
  };

  let jobCount = 0;
  let jobId: string;
  for (;;) {
    jobCount += 1;
    const started = await request(server, '/api/admin/generate-polls', cookie, { count: POLL_COUNT });
    ({ jobId } = await started.json());
    await waitForJob(jobId, ({ done }) => done > 0);
    await stopServer(server, 'SIGKILL');
    const jobAfterKill = await readJob(jobId);
    expect(jobAfterKill.done).toBeGreaterThan(0);
    if (!jobAfterKill.hasEnded) break;
    // The job ended before this busy process could kill the server: try again.
    server = await startServer();
  }

  // On PostgreSQL the lease has to expire; on the embedded database the next process releases the job at startup.
  if (databaseUrl !== undefined)
    await data.inspect((db) => db.sql`update admin_jobs set leased_until = now()`);
  server = await startServer();
  await waitForJob(jobId, ({ state }) => state === 'done');
  // That the process exits within its deadline is tested in server.test.ts.
  await stopServer(server, 'SIGTERM');

  await data.inspect(async (db) => {
    const [{ count }] = await db.sql<[{ count: number }]>`select count(*)::int as count from polls`;
    expect(count).toBe(jobCount * POLL_COUNT);
    expect(await violatedInvariants(db)).toEqual([]);
  });
  expect(await storedFiles(join(dataDir, 'uploads'))).toHaveLength(jobCount * POLL_COUNT * FILES_PER_POLL);
  expect(await storedFiles(join(dataDir, 'jobs'))).toEqual([]);
});
