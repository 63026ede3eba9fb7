import { expect, test } from 'vitest';
import { startJob } from '#api/admin/jobs/start-job.ts';
import { postGeneratePolls, signUpAdmin, waitForJob } from '#api/testing/admins.ts';
import { damagedImages, storedFiles, uploadsFolder, violatedInvariants } from '#api/testing/invariants.ts';
import { FILES_PER_POLL } from '#api/testing/poll-factory.ts';
import { createTestApp } from '#api/testing/test-app.ts';
import type { Poll } from '#shared/polls/schema.ts';

const app = await createTestApp();
const { db, deps, signUp } = app;
const admin = await signUpAdmin(app);

async function listPolls(): Promise<Poll[]> {
  return (await (await admin.get('/api/questions?limit=100')).json()).data;
}

test('an administrator generates free sample polls, each with its own images', async () => {
  const pointsBefore = (await (await admin.get('/api/user')).json()).points;
  const response = await postGeneratePolls(admin, { count: 6 });
  expect(response.status).toBe(201);
  expect(await response.json()).toEqual({ pollsCreated: 6, message: 'Created 6 sample polls.' });

  const createdPolls = await listPolls();
  expect(createdPolls).toHaveLength(6);
  for (const poll of createdPolls) {
    expect(poll).toMatchObject({ isSample: true, isMine: true, status: 'active', votesCount: 0, rev: 1 });
    expect(poll.option1Size).toEqual({ width: 1080, height: 1080 });
    expect(poll.option1Preview).not.toBeNull();
    expect(poll.option1Caption).not.toBe(poll.option2Caption);
    expect((await admin.get(`${poll.option2Image}?w=480`)).status).toBe(200);
  }
  expect(new Set(createdPolls.flatMap((poll) => [poll.option1Image, poll.option2Image])).size).toBe(12);
  expect((await (await admin.get('/api/user')).json()).points).toBe(pointsBefore);
  expect(await storedFiles(uploadsFolder(deps))).toHaveLength(6 * FILES_PER_POLL);
  expect(await damagedImages(db, uploadsFolder(deps))).toEqual([]);
  expect(await violatedInvariants(db)).toEqual([]);
});

test('deleting a sample poll removes only its own files', async () => {
  const [deletedPoll, ...remainingPolls] = await listPolls();
  expect((await admin.request(`/api/admin/polls/${deletedPoll?.id}`, { method: 'DELETE' })).status).toBe(200);
  expect(await storedFiles(uploadsFolder(deps))).toHaveLength(remainingPolls.length * FILES_PER_POLL);
  expect((await admin.get(`${remainingPolls[0]?.option1Image}?w=480`)).status).toBe(200);
});

test('sample polls can be generated for another user', async () => {
  const mara = await signUp({ username: 'mara' });
  expect((await postGeneratePolls(admin, { count: 1, userId: mara.user.id })).status).toBe(201);
  const [newest] = await listPolls();
  expect(newest).toMatchObject({ user: { username: 'mara' }, isMine: false });
  expect(await violatedInvariants(db)).toEqual([]);
});

test.each([
  [{ count: 0 }, 400, 'invalid_input'],
  [{ count: 501 }, 400, 'invalid_input'],
  [{ count: 1.5 }, 400, 'invalid_input'],
  [{ count: '5' }, 400, 'invalid_input'],
  [{}, 400, 'invalid_input'],
  [{ count: 1, userId: 4_000 }, 404, 'not_found'],
  [{ count: 1, userId: 9_000_000_000_000 }, 404, 'not_found'],
])('the input %j is refused and starts no job', async (input, status, code) => {
  const jobs = await (await admin.get('/api/admin/jobs')).json();
  const response = await postGeneratePolls(admin, input);
  expect(response.status).toBe(status);
  expect(await response.json()).toMatchObject({ code });
  expect(await (await admin.get('/api/admin/jobs')).json()).toEqual(jobs);
});

test('users and visitors cannot generate polls', async () => {
  const user = await signUp();
  expect((await postGeneratePolls(user, { count: 1 })).status).toBe(403);
  expect((await user.get('/api/admin/jobs')).status).toBe(403);
  expect((await postGeneratePolls(app.visitor(), { count: 1 })).status).toBe(401);
});

test('a request with `Prefer: respond-async` gets a response with a link to the job at once', async () => {
  const response = await postGeneratePolls(admin, { count: 3 }, { Prefer: 'wait=1, respond-async' });
  expect(response.status).toBe(202);
  expect(response.headers.get('preference-applied')).toBe('respond-async');
  const { jobId }: { jobId: string } = await response.json();
  expect(response.headers.get('location')).toBe(`/api/admin/jobs/${jobId}`);
  const job = await waitForJob(admin, jobId, ({ state }) => state === 'done');
  expect(job).toMatchObject({
    kind: 'generate-polls',
    done: 3,
    total: 3,
    message: 'Created 3 sample polls.',
  });
  const [newest] = await (await admin.get('/api/admin/jobs')).json();
  expect(newest).toEqual(job);
  const { entries } = await (await admin.get('/api/admin/audit')).json();
  expect(entries[0]).toMatchObject({ action: 'generate-polls.start', target: `job ${jobId}` });
});

test('a job fails as soon as the account for which it creates polls is deleted', async () => {
  const leavingUser = await signUp();
  const queued = await postGeneratePolls(
    admin,
    { count: 400, userId: leavingUser.user.id },
    { Prefer: 'respond-async' },
  );
  const { jobId }: { jobId: string } = await queued.json();
  await waitForJob(admin, jobId, ({ done }) => done > 0);
  await admin.request(`/api/admin/users/${leavingUser.user.id}`, { method: 'DELETE' });
  const job = await waitForJob(admin, jobId, ({ state }) => state !== 'running');
  expect(job).toMatchObject({ state: 'failed', message: 'User not found.' });
  expect(await violatedInvariants(db)).toEqual([]);
});

test('generating 500 polls in one call never computes for 50 ms in one turn of the event loop', async () => {
  const [pollsBefore] = await db.sql`select count(*)::int as count from polls`;
  let longestMs = 0;
  let isDone = false;
  const measuring = (async () => {
    // CPU time of this thread, not wall-clock time, which includes other programs on the machine.
    let lastUs = process.threadCpuUsage().user;
    while (!isDone) {
      await new Promise(setImmediate);
      const nowUs = process.threadCpuUsage().user;
      longestMs = Math.max(longestMs, (nowUs - lastUs) / 1_000);
      lastUs = nowUs;
    }
  })();
  const response = await postGeneratePolls(admin, { count: 500 });
  isDone = true;
  await measuring;
  expect(await response.json()).toMatchObject({ pollsCreated: 500 });
  expect(await db.sql`select count(*)::int as count from polls`).toEqual([
    { count: Number(pollsBefore?.count) + 500 },
  ]);
  expect(longestMs).toBeLessThan(50);
});

test('an administrator who loses their rights during the request starts no job', async () => {
  const formerAdmin = await signUpAdmin(app);
  const job = {
    kind: 'generate-polls',
    adminId: formerAdmin.user.id,
    input: { count: 1 },
    total: 1,
  } as const;
  await db.sql`update users set is_admin = false where id = ${formerAdmin.user.id}`;
  const jobs = await (await admin.get('/api/admin/jobs')).json();
  await expect(startJob(deps, job)).rejects.toMatchObject({ code: 'not_admin' });
  expect(await (await admin.get('/api/admin/jobs')).json()).toEqual(jobs);
});
