import { randomUUID } from 'node:crypto';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { beforeEach, expect, test } from 'vitest';
import { findJob, insertJob } from '#api/jobs/job-queue.ts';
import { signUpAdmin } from '#api/testing/admins.ts';
import { storedFiles, uploadsFolder, violatedInvariants } from '#api/testing/invariants.ts';
import { openPoll, seedPolls } from '#api/testing/poll-factory.ts';
import { createTestApp } from '#api/testing/test-app.ts';
import type { ImagesRepaired } from '#shared/admin/schema.ts';
import type { Poll } from '#shared/polls/schema.ts';
import { createAdminJobRunner } from './admin-job-runner.ts';

const app = await createTestApp();
const { db, deps } = app;
const admin = await signUpAdmin(app);
const maker = await app.signUp();

beforeEach(async () => {
  await db.sql`delete from polls`;
  await db.sql`delete from point_entries where reason = 'poll'`;
  await db.sql`update users set points = coalesce((select sum(delta) from point_entries where user_id = users.id), 0)`;
  await db.sql`update poll_totals set active = 0, total = 0`;
});

const fileOf = (path: string, size: 'large' | 'small' = 'large') =>
  join(
    uploadsFolder(deps),
    path.replace('/uploads/', '').replace('.webp', size === 'large' ? '.webp' : '-480.webp'),
  );
const readPoll = async (poll: Poll): Promise<Poll> => (await admin.get(`/api/questions/${poll.id}`)).json();

async function repair(): Promise<ImagesRepaired> {
  const response = await admin.post('/api/admin/repair-images');
  expect(response.status).toBe(200);
  return response.json();
}

test('a repair replaces missing and broken images by placeholders and recreates missing small sizes', async () => {
  const missing = await openPoll(app, maker);
  const broken = await openPoll(app, maker);
  const withoutSmall = await openPoll(app, maker);
  const intact = await openPoll(app, maker);
  await seedPolls(app, maker.user.id, 1);
  await db.sql`update polls set is_sample = true, option1_image = 'https://example.org/a.webp' where question = 'Question 1'`;
  await rm(fileOf(missing.option1Image));
  await writeFile(fileOf(broken.option2Image), 'no image');
  await rm(fileOf(withoutSmall.option1Image, 'small'));
  await writeFile(fileOf(withoutSmall.option2Image, 'small'), '');

  expect(await repair()).toEqual({ checked: 5, repaired: 4, message: 'Checked 5 polls, repaired 4 images.' });

  expect(await readPoll(missing)).toMatchObject({
    option1Image: '/placeholder-1.svg',
    option1Preview: null,
    option1Size: null,
    option2Image: missing.option2Image,
    option2Size: missing.option2Size,
    rev: missing.rev + 1,
  });
  expect(await readPoll(broken)).toMatchObject({
    option2Image: '/placeholder-2.svg',
    option2Preview: null,
    option2Size: null,
  });
  expect(await readPoll(withoutSmall)).toMatchObject({
    option1Image: withoutSmall.option1Image,
    rev: withoutSmall.rev,
  });
  for (const path of [withoutSmall.option1Image, withoutSmall.option2Image]) {
    const small = Buffer.from(await (await admin.get(`${path}?w=480`)).arrayBuffer());
    expect(await sharp(small).metadata()).toMatchObject({ format: 'webp', width: 12, height: 8 });
  }
  expect(await readPoll(intact)).toMatchObject({ option1Image: intact.option1Image, rev: intact.rev });
  const [externalImage] =
    await db.sql`select option1_image as image from polls where question = 'Question 1'`;
  expect(externalImage?.image).toBe('https://example.org/a.webp');
  // Of sixteen files, both sizes of two images were removed.
  expect(await storedFiles(uploadsFolder(deps))).toHaveLength(12);
  expect(await repair()).toMatchObject({ checked: 5, repaired: 0 });
  expect(await violatedInvariants(db)).toEqual([]);
});

test('the message counts polls and images in the singular and the plural', async () => {
  expect((await repair()).message).toBe('Checked 0 polls, repaired 0 images.');
  const poll = await openPoll(app, maker);
  await rm(fileOf(poll.option2Image));
  expect((await repair()).message).toBe('Checked 1 poll, repaired 1 image.');
});

test('an interrupted repair resumes after the last poll that it checked', async () => {
  await seedPolls(app, maker.user.id, 45);
  await db.sql`update polls set is_sample = true`;
  const ids = (await db.sql<{ id: string }[]>`select id from polls order by id`).map(({ id }) => id);
  const id = randomUUID();
  // Five polls have been created since the job was queued.
  await insertJob(db, { id, kind: 'repair-images', adminId: admin.user.id, input: {}, total: 40 });
  const place = JSON.stringify({ after: ids[29], repaired: 2 });
  await db.sql`update admin_jobs set done = 30, place = ${place}::jsonb where id = ${id}`;
  await deps.jobs.runDue();
  expect(await findJob(db, id)).toMatchObject({
    state: 'done',
    done: 45,
    total: 45,
    message: 'Checked 45 polls, repaired 2 images.',
  });
});

test('a repair changes nothing if the image folder is empty, and the error says what to check', async () => {
  const polls = [await openPoll(app, maker), await openPoll(app, maker)];
  const movedFolder = `${uploadsFolder(deps)}-away`;
  await rename(uploadsFolder(deps), movedFolder);
  await mkdir(uploadsFolder(deps));
  try {
    const response = await admin.post('/api/admin/repair-images');
    expect(response.status).toBe(503);
    expect(Number(response.headers.get('Retry-After'))).toBeGreaterThan(0);
    expect(await response.json()).toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('DATA_DIR'),
    });
    for (const poll of polls) {
      expect(await readPoll(poll)).toMatchObject({ option1Image: poll.option1Image, rev: poll.rev });
    }
  } finally {
    await rm(uploadsFolder(deps), { recursive: true });
    await rename(movedFolder, uploadsFolder(deps));
  }
  expect(await repair()).toMatchObject({ checked: 2, repaired: 0 });
});

test('a repair changes nothing if only new images exist, which may have been stored in a wrong folder', async () => {
  await seedPolls(app, maker.user.id, 10);
  await db.sql`
    update polls set is_sample = true, option1_image = '/uploads/' || md5('1' || id) || '.webp',
      option2_image = '/uploads/' || md5('2' || id) || '.webp'`;
  // The id of the intact poll follows the random ids of the others.
  await openPoll(app, maker, { id: 'ffffffff-ffff-4fff-bfff-ffffffffffff' });
  expect((await admin.post('/api/admin/repair-images')).status).toBe(503);
  const unchanged =
    await db.sql`select from polls where option1_image ~ '^/uploads/' and option2_image ~ '^/uploads/'`;
  expect(unchanged.count).toBe(11);
});

test('a repair keeps an image that fails to decode only once, and tolerates files that cannot be removed', async () => {
  const poll = await openPoll(app, maker);
  const missing = await openPoll(app, maker);
  await rm(fileOf(missing.option1Image));
  const failedReads = new Set<string>();
  const readFailingOnce: typeof deps.images.read = async (name, size) => {
    const bytes = await deps.images.read(name, size);
    if (bytes === null || failedReads.has(`${name} ${size}`)) return bytes;
    failedReads.add(`${name} ${size}`);
    return Buffer.from('no image');
  };
  const failingDeps = {
    ...deps,
    images: { ...deps.images, read: readFailingOnce, remove: () => Promise.reject(new Error('EROFS')) },
  };
  const id = randomUUID();
  await insertJob(db, { id, kind: 'repair-images', adminId: admin.user.id, input: {}, total: 2 });
  await createAdminJobRunner(failingDeps).runDue();
  expect(await findJob(db, id)).toMatchObject({ state: 'done' });
  expect(await readPoll(poll)).toMatchObject({
    option1Image: poll.option1Image,
    option2Image: poll.option2Image,
  });
  expect(await readPoll(missing)).toMatchObject({
    option1Image: '/placeholder-1.svg',
    option2Image: missing.option2Image,
  });
});
