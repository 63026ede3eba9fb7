import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { createAdminJobRunner } from '#api/admin/jobs/admin-job-runner.ts';
import { postGeneratePolls, signUpAdmin, waitForJob } from '#api/testing/admins.ts';
import { storedFiles, uploadsFolder, violatedInvariants } from '#api/testing/invariants.ts';
import { FILES_PER_POLL } from '#api/testing/poll-factory.ts';
import { withoutCheck } from '#api/testing/releases/later-release.ts';
import { createTestApp } from '#api/testing/test-app.ts';
import type { Job } from '#shared/admin/schema.ts';
import { findJob, insertJob, JOB_QUEUE } from './job-queue.ts';
import { createJobRunner } from './job-runner.ts';
import { leaseDue, releaseAllLeases } from './leases.ts';

/** Long enough that even a busy machine renews the lease in time. */
const LEASE_MS = 900;
const app = await createTestApp();
const { db, deps } = app;
const admin = await signUpAdmin(app);
// Like the runners of other processes: they share only the database and the files.
const otherRunners = [createAdminJobRunner(deps), createAdminJobRunner(deps)] as const;

/** Queues a job without waking a runner, as if no process were running. */
async function queueJob(count: number): Promise<string> {
  const id = randomUUID();
  const adminId = admin.user.id;
  await insertJob(db, { id, kind: 'generate-polls', adminId, input: { count }, total: count });
  return id;
}

async function countPolls(): Promise<number> {
  const [row] = await db.sql<[{ count: number }]>`select count(*)::int as count from polls`;
  return row.count;
}

const expireLease = (id: string) =>
  db.sql`update admin_jobs set leased_until = now() - interval '1 second' where id = ${id}`;
const makeDue = (id: string) => db.sql`update admin_jobs set next_attempt_at = now() where id = ${id}`;
async function readRetry(id: string) {
  const [row] = await db.sql<[{ attempts: number; waitS: number }]>`
    select attempts, extract(epoch from next_attempt_at - now())::float as "waitS" from admin_jobs where id = ${id}`;
  return row;
}
const stopJob = async (id: string): Promise<Job> =>
  (await admin.request(`/api/admin/jobs/${id}`, { method: 'DELETE' })).json();

afterEach(async () => {
  expect(await violatedInvariants(db)).toEqual([]);
  expect(await storedFiles(uploadsFolder(deps))).toHaveLength((await countPolls()) * FILES_PER_POLL);
});

test('two processes never run the same job', async () => {
  const ids = [await queueJob(15), await queueJob(15)];
  await Promise.all(otherRunners.map((runner) => runner.runDue()));
  for (const id of ids) expect(await findJob(db, id)).toMatchObject({ state: 'done', done: 15 });
  expect(await countPolls()).toBe(30);
});

test('a job of a killed process waits until its lease expires, then resumes where it stopped', async () => {
  const before = await countPolls();
  const id = await queueJob(20);
  await db.sql`update admin_jobs set done = 8 where id = ${id}`;
  await leaseDue(db, JOB_QUEUE, { limit: 1 });
  await otherRunners[0].runDue();
  expect(await findJob(db, id)).toMatchObject({ state: 'running', done: 8 });
  await expireLease(id);
  await otherRunners[0].runDue();
  expect(await findJob(db, id)).toMatchObject({ state: 'done', done: 20 });
  expect(await countPolls()).toBe(before + 12);
});

test('a process that has lost its lease stops, so that no poll is created twice', async () => {
  const before = await countPolls();
  const id = await queueJob(200);
  const firstRun = otherRunners[0].runDue();
  await waitForJob(admin, id, ({ done }) => done > 0);
  await expireLease(id);
  const secondRun = otherRunners[1].runDue();
  await Promise.all([firstRun, secondRun]);
  expect(await findJob(db, id)).toMatchObject({ state: 'done', done: 200 });
  expect(await countPolls()).toBe(before + 200);
});

test('the lease of a job is renewed during a long part, so that no other process runs the job', async () => {
  const id = await queueJob(1);
  const end = { state: 'done', message: 'Slow, and done.', result: {} } as const;
  const slowRunner = createJobRunner({
    db,
    log: deps.log,
    run: async (job) => {
      await sleep(LEASE_MS * 2);
      await otherRunners[0].runDue();
      await job.advance(async () => ({ done: 1, end }));
    },
    onEnd: async () => {},
    leaseMs: LEASE_MS,
  });
  await slowRunner.runDue();
  expect(await findJob(db, id)).toMatchObject({ state: 'done', message: 'Slow, and done.' });
});

test('a job is retried while the disk is full, and fails on other errors with a message that does not reveal them', async () => {
  const id = await queueJob(1);
  const faults = [Object.assign(new Error('full'), { code: 'ENOSPC' }), new Error('a secret')];
  const failingRunner = createJobRunner({
    db,
    log: deps.log,
    run: async () => {
      throw faults.shift();
    },
    onEnd: async () => {},
  });
  await failingRunner.runDue();
  expect(await findJob(db, id)).toMatchObject({ state: 'queued', message: null });
  // The first delay is 2.5 to 5 seconds, less the time that has passed since.
  expect(await readRetry(id)).toMatchObject({ attempts: 1, waitS: expect.toSatisfy((waitS) => waitS > 2) });
  // The job is not due yet, so this does nothing.
  await failingRunner.runDue();
  expect(await findJob(db, id)).toMatchObject({ state: 'queued' });
  await makeDue(id);
  await failingRunner.runDue();
  const job = await findJob(db, id);
  expect(job).toMatchObject({ state: 'failed', code: 'internal' });
  expect(job?.message).not.toContain('secret');
});

test('a job fails after twelve unsuccessful attempts, counted across processes', async () => {
  const id = await queueJob(1);
  const failingRunners = [0, 1].map(() =>
    createJobRunner({
      db,
      log: deps.log,
      run: () => Promise.reject(Object.assign(new Error('full'), { code: 'ENOSPC' })),
      onEnd: async () => {},
    }),
  );
  for (let attempt = 1; attempt <= 12; attempt++) {
    expect(await findJob(db, id)).toMatchObject({ state: 'queued' });
    await failingRunners[attempt % 2]?.runDue();
    await makeDue(id);
  }
  expect(await findJob(db, id)).toMatchObject({ state: 'failed', code: 'unavailable' });
});

test('a job fails after twelve attempts in which its process was killed', async () => {
  const id = await queueJob(1);
  for (let attempt = 1; attempt <= 12; attempt++) {
    expect(await leaseDue(db, JOB_QUEUE, { limit: 1 })).toMatchObject([{ id }]);
    if (attempt % 2 === 0) await expireLease(id);
    // As at the next start on the embedded database.
    else await releaseAllLeases(db, JOB_QUEUE);
  }
  await otherRunners[0].runDue();
  expect(await findJob(db, id)).toMatchObject({ state: 'failed', code: 'internal', done: 0 });
});

test('a job that makes progress between its failures is retried any number of times', async () => {
  const id = randomUUID();
  const total = 15;
  await insertJob(db, { id, kind: 'repair-images', adminId: admin.user.id, input: {}, total });
  const end = { state: 'done', message: 'Done.', result: {} } as const;
  const failingRunner = createJobRunner({
    db,
    log: deps.log,
    run: async (job) => {
      const done = job.done + 1;
      await job.advance(async () => ({ done, ...(done === total && { end }) }));
      if (done < total) throw Object.assign(new Error('full'), { code: 'ENOSPC' });
    },
    onEnd: async () => {},
  });
  for (let attempt = 1; attempt <= total; attempt++) {
    await failingRunner.runDue();
    await makeDue(id);
  }
  expect(await findJob(db, id)).toMatchObject({ state: 'done', done: total });
});

test('a process that shuts down releases its job between two parts, and the next process resumes it', async () => {
  const before = await countPolls();
  const id = await queueJob(200);
  const stoppingRunner = createAdminJobRunner(deps);
  const running = stoppingRunner.runDue();
  await waitForJob(admin, id, ({ done }) => done > 0);
  await stoppingRunner.stop();
  await running;
  const released = await findJob(db, id);
  expect(released?.state).toBe('queued');
  expect(released?.done).toBeLessThan(200);
  expect(await countPolls()).toBe(before + (released?.done ?? 0));
  await otherRunners[0].runDue();
  expect(await countPolls()).toBe(before + 200);
});

test('a stopped job ends between two parts and keeps the polls that it has created', async () => {
  const before = await countPolls();
  const generation = postGeneratePolls(admin, { count: 500 });
  const { id } = await waitForUnfinishedJob();
  await waitForJob(admin, id, ({ done }) => done > 0);
  const job = await stopJob(id);
  expect(job).toMatchObject({ state: 'stopped', message: `Stopped after ${job.done} of 500.` });
  expect(await countPolls()).toBe(before + job.done);
  expect(await stopJob(id)).toEqual(job);
  const response = await generation;
  expect(response.status).toBe(201);
  expect(await response.json()).toEqual({ pollsCreated: job.done, message: job.message });
  const actions = await db.sql<{ action: string }[]>`
    select action from audit_entries where target = ${`job ${id}`} order by id`;
  expect(actions.map(({ action }) => action)).toEqual(['generate-polls.start', 'job.stop']);
});

async function listJobs(): Promise<Job[]> {
  return (await admin.get('/api/admin/jobs')).json();
}

/** Waits for a job in any state that is not in `knownIds`, and returns its id. */
async function waitForNewJob(knownIds: ReadonlySet<string>): Promise<string> {
  for (;;) {
    const newJob = (await listJobs()).find(({ id }) => !knownIds.has(id));
    if (newJob !== undefined) return newJob.id;
    await sleep(10);
  }
}

async function waitForUnfinishedJob(): Promise<Job> {
  for (;;) {
    const job = (await listJobs()).find(({ state }) => state === 'queued' || state === 'running');
    if (job !== undefined) return job;
    await sleep(10);
  }
}

test('a stop ends a waiting job at once, and does not change a job that has ended', async () => {
  const id = await queueJob(5);
  expect(await stopJob(id)).toMatchObject({ state: 'stopped', done: 0 });
  await otherRunners[0].runDue();
  expect(await findJob(db, id)).toMatchObject({ state: 'stopped', done: 0 });

  const endedId = await queueJob(1);
  await otherRunners[0].runDue();
  expect(await stopJob(endedId)).toMatchObject({ state: 'done', message: 'Created 1 sample poll.' });
});

test('an unknown job is not found', async () => {
  expect((await admin.request(`/api/admin/jobs/${randomUUID()}`, { method: 'DELETE' })).status).toBe(404);
  expect((await admin.get(`/api/admin/jobs/${randomUUID()}`)).status).toBe(404);
  expect((await admin.get('/api/admin/jobs/none')).status).toBe(404);
});

test('a client that disconnects does not affect the job', async () => {
  const before = await countPolls();
  const knownIds = new Set((await listJobs()).map(({ id }) => id));
  const client = new AbortController();
  const request = Promise.resolve(
    admin.request('/api/admin/generate-polls', {
      method: 'POST',
      body: JSON.stringify({ count: 40 }),
      headers: { 'Content-Type': 'application/json' },
      signal: client.signal,
    }),
  ).catch(() => null);
  const id = await waitForNewJob(knownIds);
  client.abort();
  await request;
  expect(await waitForJob(admin, id, ({ state }) => state === 'done')).toMatchObject({ done: 40 });
  expect(await countPolls()).toBe(before + 40);
});

test('other jobs do not wait for a repair', async () => {
  const repairId = randomUUID();
  const end = { state: 'done', message: 'Done.', result: {} } as const;
  await insertJob(db, { id: repairId, kind: 'repair-images', adminId: admin.user.id, input: {}, total: 1 });
  const generationId = randomUUID();
  await insertJob(db, {
    id: generationId,
    kind: 'generate-polls',
    adminId: admin.user.id,
    input: {},
    total: 0,
  });
  const runner = createJobRunner({
    db,
    log: deps.log,
    run: async (job) => {
      if (job.kind === 'repair-images')
        await waitForJob(admin, generationId, ({ state }) => state === 'done');
      await job.advance(async () => ({ done: 0, end }));
    },
    onEnd: async () => {},
  });
  await runner.runDue();
  expect(await findJob(db, generationId)).toMatchObject({ state: 'done' });
  expect(await findJob(db, repairId)).toMatchObject({ state: 'done' });
});

test('a job of an unknown kind is left to processes of a later release', async () => {
  await withoutCheck(db, { table: 'admin_jobs', name: 'admin_jobs_kind' }, async () => {
    const id = randomUUID();
    await db.sql`
      insert into admin_jobs (id, kind, admin_id, input, total)
      values (${id}, 'of-a-later-release', ${admin.user.id}, '{}', 1)`;
    await otherRunners[0].runDue();
    expect(await findJob(db, id)).toMatchObject({ state: 'queued' });
  });
});
