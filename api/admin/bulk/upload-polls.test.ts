import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createAdminJobRunner } from '#api/admin/jobs/admin-job-runner.ts';
import { createJobFiles } from '#api/jobs/job-files.ts';
import { postBulkUpload, signUpAdmin, waitForJob } from '#api/testing/admins.ts';
import { damagedImages, storedFiles, uploadsFolder, violatedInvariants } from '#api/testing/invariants.ts';
import { FILES_PER_POLL, makeImage } from '#api/testing/poll-factory.ts';
import { createTestApp } from '#api/testing/test-app.ts';
import { EVEN_IMAGE_COUNT_MESSAGE, NO_FILES_MESSAGE } from '#shared/admin/constants.ts';
import type { Poll } from '#shared/polls/schema.ts';

const COLOURS = ['#ff0000', '#00ff00', '#0000ff', '#ffff00'];
const app = await createTestApp();
const { db, deps } = app;
const admin = await signUpAdmin(app);
const images = await Promise.all(COLOURS.map(makeImage));
const files = images.map((bytes, index) => [`photo-${index}.jpg`, bytes] as const);
const [red, green] = files;
if (red === undefined || green === undefined) throw new Error('Expected four images.');

beforeEach(async () => {
  await db.sql`delete from polls`;
  await db.sql`update poll_totals set active = 0, total = 0`;
  for (const file of await readdir(uploadsFolder(deps))) {
    await deps.images.remove([`/uploads/${file.replace('-480', '')}`]);
  }
});

afterEach(async () => {
  expect(await violatedInvariants(db)).toEqual([]);
  // A job's file names are deleted when it ends.
  expect(await db.sql`select from admin_jobs where ended_at is not null and input <> '{}'`).toHaveLength(0);
  expect(await readdir(deps.images.incomingFolder)).toEqual([]);
  expect(await readdir(join(deps.env.dataDir, 'jobs')).catch(() => [])).toEqual([]);
});

async function listPolls(): Promise<Poll[]> {
  return (await (await admin.get('/api/user/questions')).json()).reverse();
}

async function expectNoPollsOrFiles(): Promise<void> {
  expect(await listPolls()).toEqual([]);
  expect(await storedFiles(uploadsFolder(deps))).toEqual([]);
}

async function colourOf(path: string): Promise<string> {
  const bytes = Buffer.from(await (await admin.get(path)).arrayBuffer());
  const { dominant } = await sharp(bytes).stats();
  return ([dominant.r, dominant.g, dominant.b] as const)
    .map((channel) => (channel > 127 ? 'ff' : '00'))
    .join('');
}

test('images are paired in order and become free polls of the administrator', async () => {
  const { points } = await (await admin.get('/api/user')).json();
  const fields = { duration: '14', responsesWanted: '35' };
  const response = await postBulkUpload(admin, files, { fields });
  expect(response.status).toBe(201);
  expect(await response.json()).toEqual({ pollsCreated: 2, message: 'Created 2 polls.' });
  const createdPolls = await listPolls();
  expect(createdPolls).toHaveLength(2);
  for (const poll of createdPolls) {
    expect(poll).toMatchObject({ question: 'This or That?', duration: 14, responsesWanted: 35 });
    expect(poll).toMatchObject({ isMine: true, isSample: false, option1Caption: null, status: 'active' });
  }
  const shownColours = await Promise.all(
    createdPolls.flatMap((poll) => [poll.option1Image, poll.option2Image]).map(colourOf),
  );
  expect(shownColours.map((colour) => `#${colour}`)).toEqual(COLOURS);
  expect((await (await admin.get('/api/user')).json()).points).toBe(points);
  expect(await damagedImages(db, uploadsFolder(deps))).toEqual([]);
  expect(await storedFiles(uploadsFolder(deps))).toHaveLength(2 * FILES_PER_POLL);
});

test('an upload without fields creates polls that are open for 7 days and want 20 responses', async () => {
  expect((await postBulkUpload(admin, [red, green])).status).toBe(201);
  expect(await listPolls()).toMatchObject([{ duration: 7, responsesWanted: 20 }]);
});

test.each([
  ['a text file', 'notes.txt', Buffer.from('no image at all'), 415, 'unsupported_type'],
  ['a truncated image', 'half.png', Buffer.from(red[1].subarray(0, 60)), 422, 'undecodable'],
  ['a file of more than 5 MB', 'huge.jpg', Buffer.alloc(5 * 1024 * 1024 + 1), 413, 'too_large'],
] as const)(
  '%s fails the whole upload, and the error names the file',
  async (_case, name, bytes, status, code) => {
    const response = await postBulkUpload(admin, [red, green, [name, bytes], green]);
    expect(response.status).toBe(status);
    const body = await response.json();
    expect(body.code).toBe(code);
    expect(body.message).toContain(`${name}: `);
    await expectNoPollsOrFiles();
  },
);

test('the message of a failed job names the invalid image, without control characters', async () => {
  const response = await postBulkUpload(admin, [red, ['no\u0000tes.txt', Buffer.from('text')]], {
    headers: { Prefer: 'respond-async' },
  });
  expect(response.status).toBe(202);
  const { jobId }: { jobId: string } = await response.json();
  const job = await waitForJob(admin, jobId, ({ state }) => state === 'failed');
  expect(job.message).toBe('notes.txt: Images are JPG, PNG, GIF or WebP files');
  await expectNoPollsOrFiles();
});

test.each([
  ['an odd number of images', [red], {}, EVEN_IMAGE_COUNT_MESSAGE],
  ['no image', [], { duration: '7' }, NO_FILES_MESSAGE],
  ['a duration of 31 days', [red, green], { duration: '31' }, 'A poll is open for 1 to 30 days'],
  ['12 responses wanted', [red, green], { responsesWanted: '12' }, /in steps of 5/],
] as const)(
  'an upload with %s is refused before any image is decoded',
  async (_case, uploaded, fields, message) => {
    const [jobsBefore] = await db.sql`select count(*)::int as count from admin_jobs`;
    const response = await postBulkUpload(admin, uploaded, { fields });
    expect(response.status).toBe(400);
    expect((await response.json()).message).toMatch(message);
    expect(await db.sql`select count(*)::int as count from admin_jobs`).toMatchObject([jobsBefore]);
    await expectNoPollsOrFiles();
  },
);

test('an upload whose connection breaks leaves no files', async () => {
  const boundary = 'a-line-of-its-own';
  const head = `--${boundary}\r\nContent-Disposition: form-data; name="images"; filename="a.png"\r\n\r\n`;
  const body = new ReadableStream({
    start: (controller) => controller.enqueue(Buffer.concat([Buffer.from(head), red[1]])),
    pull: (controller) => controller.error(new Error('The connection broke')),
  });
  const headers = { 'Content-Type': `multipart/form-data; boundary=${boundary}` };
  const init: RequestInit & { duplex: 'half' } = { method: 'POST', body, headers, duplex: 'half' };
  expect((await admin.request('/api/admin/bulk-upload', init)).status).toBe(400);
  await expectNoPollsOrFiles();
});

const PHOTO = await sharp({ create: { width: 1600, height: 1200, channels: 3, background: '#456' } })
  .jpeg()
  .toBuffer();
/** So many that a test can act while their upload is being processed. */
const PHOTOS = Array.from({ length: 12 }, (_, index) => [`${index}.jpg`, Buffer.from(PHOTO)] as const);

async function startUpload(): Promise<string> {
  const response = await postBulkUpload(admin, PHOTOS, { headers: { Prefer: 'respond-async' } });
  const { jobId }: { jobId: string } = await response.json();
  await waitForJob(admin, jobId, ({ done }) => done > 0);
  return jobId;
}

test('a stopped upload leaves no polls and no files', async () => {
  const jobId = await startUpload();
  const job = await (await admin.request(`/api/admin/jobs/${jobId}`, { method: 'DELETE' })).json();
  expect(job).toMatchObject({ state: 'stopped', message: 'Stopped. No polls were created.' });
  await waitForJob(admin, jobId, ({ state }) => state === 'stopped');
  // Would take up the job again if it were still due.
  await deps.jobs.runDue();
  await expectNoPollsOrFiles();
});

test('an upload whose administrator is deleted while it runs creates no polls, and its job says why', async () => {
  const uploader = await signUpAdmin(app);
  const response = await postBulkUpload(uploader, PHOTOS, { headers: { Prefer: 'respond-async' } });
  const { jobId }: { jobId: string } = await response.json();
  await waitForJob(admin, jobId, ({ done }) => done > 0);
  await db.sql`update users set is_admin = false where id = ${uploader.user.id}`;
  expect((await admin.delete(`/api/admin/users/${uploader.user.id}`)).status).toBe(200);
  // Ids are found in any letter case.
  const job = await waitForJob(admin, jobId.toUpperCase(), ({ state }) => state === 'failed');
  expect(job.message).toBe('The account that uploaded these images has been deleted.');
  // Would take up the job again if it were still due.
  await deps.jobs.runDue();
  await expectNoPollsOrFiles();
});

test('an upload whose process was killed starts over and creates its polls once', async () => {
  const jobId = await startUpload();
  // Another process leases the job, as it does once the lease of a killed process has run out.
  await db.sql`update admin_jobs set leased_until = now() - interval '1 second' where id = ${jobId}`;
  await createAdminJobRunner(deps).runDue();
  expect(await waitForJob(admin, jobId, ({ state }) => state === 'done')).toMatchObject({
    done: 12,
    total: 12,
  });
  await deps.jobs.runDue();
  expect(await listPolls()).toHaveLength(6);
  expect(await storedFiles(uploadsFolder(deps))).toHaveLength(6 * FILES_PER_POLL);
});

test('a repeated upload returns the existing job, whether it is waiting or has ended', async () => {
  const id = crypto.randomUUID();
  const send = (fields: Record<string, string> = {}) =>
    postBulkUpload(admin, [red, green], { fields: { id, ...fields }, headers: { Prefer: 'respond-async' } });
  const responses = await Promise.all([send(), send({ id: id.toUpperCase() })]);
  await waitForJob(admin, id, ({ state }) => state === 'done');
  for (const response of [...responses, await send({ duration: '3' })]) {
    expect(response.status).toBe(202);
    expect(await response.json()).toEqual({ jobId: id });
  }
  const synchronousResponse = await postBulkUpload(admin, [red, green], { fields: { id } });
  expect(synchronousResponse.status).toBe(201);
  expect(await synchronousResponse.json()).toEqual({ pollsCreated: 1, message: 'Created 1 poll.' });
  expect(await listPolls()).toHaveLength(1);
  expect(await db.sql`select from audit_entries where target = ${`job ${id}`}`).toHaveLength(1);
  expect(await db.sql`select from admin_jobs where id = ${id}`).toHaveLength(1);
});

test('an upload with the id of another job, or with an id that is not a UUID, is refused', async () => {
  const [otherJob] = await db.sql<[{ id: string }]>`
    insert into admin_jobs (id, kind, input, total) values (gen_random_uuid(), 'bulk-upload', '{}'::jsonb, 2)
    returning id`;
  const response = await postBulkUpload(admin, [red, green], { fields: { id: otherJob.id } });
  expect(response.status).toBe(409);
  expect(await response.json()).toMatchObject({
    code: 'id_taken',
    message: 'Another job has this id. Please try again.',
  });
  expect((await postBulkUpload(admin, [red, green], { fields: { id: '../uploads' } })).status).toBe(400);
  await db.sql`delete from admin_jobs where id = ${otherJob.id}`;
  await expectNoPollsOrFiles();
});

test('an upload whose process was killed before its job was stored can be repeated', async () => {
  const id = crypto.randomUUID();
  const folder = join(deps.env.dataDir, 'jobs', id);
  await mkdir(folder, { recursive: true });
  for (const name of ['0', '2']) await writeFile(join(folder, name), 'half of an image');
  expect((await postBulkUpload(admin, [red, green], { fields: { id } })).status).toBe(201);
  expect(await listPolls()).toHaveLength(1);
});

test('the sweep removes old files without a job and keeps the files of jobs', async () => {
  const jobFiles = createJobFiles(deps.env.dataDir);
  const id = crypto.randomUUID();
  await jobFiles.store(id, []);
  await db.sql`
    insert into admin_jobs (id, kind, input, total) values (${id}, 'bulk-upload', '{}'::jsonb, 2)`;
  await jobFiles.store('left-behind', []);
  await jobFiles.sweep(db);
  expect(await readdir(join(deps.env.dataDir, 'jobs'))).toHaveLength(2);
  const unclaimedAgeMaxMs = 0;
  await jobFiles.sweep(db, unclaimedAgeMaxMs);
  expect(await readdir(join(deps.env.dataDir, 'jobs'))).toEqual([id]);
  await db.sql`update admin_jobs set state = 'stopped', ended_at = now() where id = ${id}`;
  await jobFiles.sweep(db);
});
