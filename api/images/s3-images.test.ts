import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, readdir } from 'node:fs/promises';
import { connect } from 'node:net';
import { unzipSync } from 'fflate';
import { afterAll, beforeEach, expect, test, vi } from 'vitest';
import { exportsFolder } from '#api/accounts/leaving/export-files.ts';
import { sweepImages } from '#api/housekeeping/file-sweep.ts';
import { findJob, insertJob } from '#api/jobs/job-queue.ts';
import { signUpAdmin } from '#api/testing/admins.ts';
import { startS3Server } from '#api/testing/external-services/s3-server.ts';
import { uploadsFolder } from '#api/testing/invariants.ts';
import { givePoints, makeImage, openPoll, pointsOf, postPoll } from '#api/testing/poll-factory.ts';
import { decide, reportedPoll } from '#api/testing/reports.ts';
import { serveLive } from '#api/testing/servers/live-server.ts';
import { createTestApp, type TestUser } from '#api/testing/test-app.ts';
import { DAY_MS } from '#shared/time.ts';

const MEGABYTE = 1_000_000;

const s3 = await startS3Server();
afterAll(() => s3.close());
const app = await createTestApp({ env: { s3: s3.settings, imageStorage: 's3' } });
const address = await serveLive(app);
const { db, deps } = app;
// The server creates this folder when it starts.
await mkdir(exportsFolder(deps.env.dataDir));
const maker = await app.signUp();
const admin = await signUpAdmin(app);

beforeEach(() => {
  s3.fault = null;
});

/** Makes failed jobs and exports due, which would be retried later. */
async function makeRetriesDue(): Promise<void> {
  await db.sql`update admin_jobs set next_attempt_at = now()`;
  await db.sql`update data_exports set next_attempt_at = now()`;
}

/** The keys of both sizes of an image in the bucket: its path without the leading slash. */
const largeKeyOf = (path: string) => path.slice(1);
const smallKeyOf = (path: string) => largeKeyOf(path).replace('.webp', '-480.webp');
const keysOf = (...paths: string[]) => paths.flatMap((path) => [largeKeyOf(path), smallKeyOf(path)]).sort();
const pollCountOf = async (userId: number) =>
  (await db.sql`select from polls where user_id = ${userId}`).count;

/** The first image of a poll in the user's completed export. */
async function exportedImage(user: TestUser, { option1Image }: { option1Image: string }): Promise<Buffer> {
  const file = await user.get('/api/user/export/file');
  const exported = unzipSync(new Uint8Array(await file.arrayBuffer()));
  return Buffer.from(exported[option1Image.replace('/uploads/', 'images/')] ?? []);
}

test('the images of a poll are in the bucket and are served like those from a folder', async () => {
  const poll = await openPoll(app, maker);
  expect([...s3.objects.keys()].sort()).toEqual(keysOf(poll.option1Image, poll.option2Image));
  expect([...(await readdir(uploadsFolder(deps))), ...(await readdir(deps.images.incomingFolder))]).toEqual(
    [],
  );
  const large = await fetch(`${address}${poll.option1Image}`);
  expect(Object.fromEntries(large.headers)).toMatchObject({
    'content-type': 'image/webp',
    'cache-control': 'public, max-age=86400',
    'content-security-policy': "default-src 'none'; sandbox",
  });
  expect(Buffer.from(await large.arrayBuffer())).toEqual(
    s3.objects.get(largeKeyOf(poll.option1Image))?.bytes,
  );
  const etag = large.headers.get('ETag') ?? '';
  const revalidated = await fetch(`${address}${poll.option1Image}`, { headers: { 'If-None-Match': etag } });
  expect([revalidated.status, revalidated.headers.get('ETag')]).toEqual([304, etag]);
  const head = await fetch(`${address}${poll.option2Image}?w=480`, { method: 'HEAD' });
  const small = s3.objects.get(smallKeyOf(poll.option2Image));
  expect(head.headers.get('Content-Length')).toBe(String(small?.bytes.length));
  expect((await maker.get(`${new URL(poll.shareUrl ?? '').pathname}/card.jpg`)).status).toBe(200);
});

test.each(['rejects requests', 'breaks off responses'] as const)(
  'while the bucket %s, requests for an image fail, and later they succeed',
  async (fault) => {
    const poll = await openPoll(app, maker);
    // Hono's server reports an interrupted response with `console.error`.
    const reportError = vi.spyOn(console, 'error').mockImplementation(() => {});
    s3.fault = fault;
    const failed = await fetch(`${address}${poll.option1Image}`);
    if (fault === 'rejects requests') {
      expect([failed.status, failed.headers.get('Retry-After')]).toEqual([503, '5']);
      expect((await failed.json()).code).toBe('unavailable');
    } else {
      await expect(failed.bytes()).rejects.toThrow('terminated');
    }
    s3.fault = null;
    expect((await fetch(`${address}${poll.option1Image}`)).status).toBe(200);
    expect(reportError).toHaveBeenCalledTimes(fault === 'rejects requests' ? 0 : 1);
    reportError.mockRestore();
  },
);

test('while the bucket rejects requests, no poll is created or paid for, and a later repetition succeeds', async () => {
  const account = await app.signUp();
  await openPoll(app, account);
  await givePoints(app, account.user.id, 10);
  const pointsBefore = await pointsOf(account);
  const headers = { 'Idempotency-Key': randomUUID() };
  s3.fault = 'rejects requests';
  const refused = await postPoll(account, {}, headers);
  expect([refused.status, refused.headers.get('Retry-After')]).toEqual([503, '5']);
  expect(await pollCountOf(account.user.id)).toBe(1);
  expect(await pointsOf(account)).toBe(pointsBefore);
  s3.fault = null;
  expect((await postPoll(account, {}, headers)).status).toBe(201);
  expect(await pollCountOf(account.user.id)).toBe(2);
});

test('the images of a removed poll get 404 at once, and those of a deleted poll are deleted', async () => {
  const { poll } = await reportedPoll(app, 1);
  await decide(admin, poll.id, 'remove');
  expect((await fetch(`${address}${poll.option1Image}`)).status).toBe(404);
  expect(s3.objects.has(largeKeyOf(poll.option1Image))).toBe(true);
  const deleted = await openPoll(app, maker);
  await admin.delete(`/api/admin/polls/${deleted.id}`);
  expect(s3.objects.has(largeKeyOf(deleted.option1Image))).toBe(false);
});

test('the sweep removes images left by a crash before the commit once they are a day old', async () => {
  const image = await deps.imagePipeline.process(await makeImage('#0a0'));
  const { paths } = await deps.images.stage([image]);
  expect(await sweepImages(deps.images.storage, db)).toBe(0);
  for (const object of s3.objects.values()) object.modifiedMs -= DAY_MS;
  expect(await sweepImages(deps.images.storage, db)).toBe(1);
  expect(keysOf(...paths).filter((key) => s3.objects.has(key))).toEqual([]);
});

test('a job and an export are retried while the bucket is unavailable', async () => {
  const id = randomUUID();
  const user = await app.signUp();
  const poll = await openPoll(app, user);
  await user.post('/api/user/export');
  await insertJob(db, { id, kind: 'generate-polls', adminId: admin.user.id, input: { count: 2 }, total: 2 });
  s3.fault = 'rejects requests';
  await deps.jobs.runDue();
  await deps.exports.runDue();
  expect(await findJob(db, id)).toMatchObject({ state: 'queued', done: 0 });
  expect((await user.get('/api/user/export/file')).status).toBe(404);
  s3.fault = null;
  await makeRetriesDue();
  await deps.jobs.runDue();
  await deps.exports.runDue();
  expect(await findJob(db, id)).toMatchObject({ state: 'done', done: 2 });
  expect(await exportedImage(user, poll)).toEqual(s3.objects.get(largeKeyOf(poll.option1Image))?.bytes);
});

test('an export whose images break off is retried, and is complete once they can be read', async () => {
  const user = await app.signUp();
  const poll = await openPoll(app, user);
  await user.post('/api/user/export');
  s3.fault = 'breaks off responses';
  await deps.exports.runDue();
  expect(await db.sql`select attempts, ended_at from data_exports where user_id = ${user.user.id}`).toEqual([
    { attempts: 1, ended_at: null },
  ]);
  expect(await readdir(exportsFolder(deps.env.dataDir))).not.toContainEqual(expect.stringContaining('.zip.'));
  s3.fault = null;
  await makeRetriesDue();
  await deps.exports.runDue();
  expect(await exportedImage(user, poll)).toEqual(s3.objects.get(largeKeyOf(poll.option1Image))?.bytes);
});

test('images that clients request but do not read take little memory', async () => {
  const name = `${'0c'.repeat(16)}.webp`;
  s3.objects.set(`uploads/${name}`, { bytes: Buffer.alloc(10 * MEGABYTE), modifiedMs: Date.now() });
  const before = process.memoryUsage().arrayBuffers;
  const sockets = Array.from({ length: 40 }, () =>
    connect(Number(new URL(address).port), '127.0.0.1').pause(),
  );
  await Promise.all(sockets.map((socket) => once(socket, 'connect')));
  for (const socket of sockets) socket.write(`GET /uploads/${name} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
  // Time for the server to read from the bucket whatever it does not hold back.
  await new Promise((resolve) => setTimeout(resolve, 500));
  expect((process.memoryUsage().arrayBuffers - before) / MEGABYTE).toBeLessThan(150);
  for (const socket of sockets) socket.destroy();
  expect((await (await fetch(`${address}/uploads/${name}`)).bytes()).length).toBe(10 * MEGABYTE);
});
