import { randomUUID } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { fillJobs, postBulkUpload, postGeneratePolls, signUpAdmin, twoImages } from '#api/testing/admins.ts';
import { createTestApp, type TestUser } from '#api/testing/test-app.ts';
import type { TestClient } from '#api/testing/test-client.ts';
import { JOBS_MAX, JOBS_OF_ADMIN_MAX } from '#shared/admin/constants.ts';
import type { Job } from '#shared/admin/schema.ts';

const app = await createTestApp();
const { db, deps } = app;
const FILES = await twoImages();
const headers = { Prefer: 'respond-async' };

let admin: TestUser;
beforeEach(async () => {
  admin = await signUpAdmin(app);
  // The runner is never woken, so that jobs wait as they do during a long job.
  vi.spyOn(deps.jobs, 'wake').mockReturnValue();
});
afterEach(async () => {
  vi.restoreAllMocks();
  for (const { id } of await listJobs()) await deps.jobFiles.remove(id);
  await db.sql`delete from admin_jobs`;
});

const generateOnePoll = (client: TestClient) => postGeneratePolls(client, { count: 1 }, headers);
const listJobs = async (): Promise<Job[]> => (await admin.get('/api/admin/jobs')).json();
const statusesOf = (responses: readonly Response[]) => responses.map(({ status }) => status).toSorted();

test('an administrator has at most five unfinished jobs, even when ten are started concurrently', async () => {
  await fillJobs(app, admin.user.id, JOBS_OF_ADMIN_MAX - 1);
  const responses = await Promise.all(Array.from({ length: 10 }, () => generateOnePoll(admin)));
  expect(statusesOf(responses)).toEqual([202, ...Array(9).fill(409)]);
  expect(await responses.find(({ status }) => status === 409)?.json()).toMatchObject({
    code: 'job_limit',
    message: 'You have 5 unfinished jobs. Wait until one has finished, or stop one.',
  });
  const jobs = await listJobs();
  expect(jobs).toHaveLength(JOBS_OF_ADMIN_MAX);
  expect((await generateOnePoll(await signUpAdmin(app))).status).toBe(202);
  expect((await admin.delete(`/api/admin/jobs/${jobs[0]?.id}`)).status).toBe(200);
  expect((await generateOnePoll(admin)).status).toBe(202);
  expect((await generateOnePoll(admin)).status).toBe(409);
});

test('all administrators together have at most twenty unfinished jobs', async () => {
  for (let jobs = 0; jobs < JOBS_MAX; jobs += JOBS_OF_ADMIN_MAX) {
    await fillJobs(app, (await signUpAdmin(app)).user.id, JOBS_OF_ADMIN_MAX);
  }
  const response = await generateOnePoll(admin);
  expect([response.status, (await response.json()).message]).toEqual([
    409,
    'Administrators have 20 unfinished jobs between them. Please wait until one has finished.',
  ]);
});

test('at the limit a new upload is refused and leaves no files, but a repeated one returns its job', async () => {
  const fields = { id: randomUUID() };
  expect((await postBulkUpload(admin, FILES, { fields, headers })).status).toBe(202);
  await fillJobs(app, admin.user.id, JOBS_OF_ADMIN_MAX - 1);
  const repeated = await postBulkUpload(admin, FILES, { fields, headers });
  expect([repeated.status, await repeated.json()]).toEqual([202, { jobId: fields.id }]);

  const id = randomUUID();
  expect((await postBulkUpload(admin, FILES, { fields: { id }, headers })).status).toBe(409);
  expect((await admin.get(`/api/admin/jobs/${id}`)).status).toBe(404);
  await expect(readdir(join(deps.env.dataDir, 'jobs'))).resolves.toEqual([fields.id]);
  await expect(readdir(deps.images.incomingFolder)).resolves.toEqual([]);
});

test('a generation of sample polls that is sent again with its id is one job', async () => {
  const input = { count: 1, id: randomUUID() };
  for (let attempt = 0; attempt < 2; attempt += 1) {
    const response = await postGeneratePolls(admin, input, headers);
    expect([response.status, await response.json()]).toEqual([202, { jobId: input.id }]);
  }
  expect(await listJobs()).toHaveLength(1);
});
