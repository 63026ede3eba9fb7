import { mkdir, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { beforeEach, expect, test, vi } from 'vitest';
import { renewEpoch } from '#api/db/server-epoch.ts';
import { inTransaction } from '#api/db/transaction.ts';
import { startFileSweeps, sweepFiles, sweepImages, sweepIncoming } from '#api/housekeeping/file-sweep.ts';
import { uploadsFolder } from '#api/testing/invariants.ts';
import { makeImage, makePoll } from '#api/testing/poll-factory.ts';
import { createTestApp } from '#api/testing/test-app.ts';

const app = await createTestApp();
const { db, deps } = app;
const { images, imagePipeline } = deps;
const image = await imagePipeline.process(await makeImage('#0a0'));
const otherImage = await imagePipeline.process(await makeImage('#a00'));

const uploads = () => readdir(uploadsFolder(deps));
const incoming = () => readdir(images.incomingFolder);

async function bytesOf(name: string, size: 'large' | 'small'): Promise<Buffer> {
  const opened = await images.open(name, size);
  const bytes = Buffer.from(await new Response(opened?.stream()).arrayBuffer());
  expect(opened?.bytes).toBe(bytes.length);
  return bytes;
}

beforeEach(async () => {
  await db.sql`delete from polls`;
  await sweepImages(images.storage, db);
});

test('publishing in a transaction makes both sizes of each image readable', async () => {
  const staged = await images.stage([image, otherImage]);
  expect(await uploads()).toEqual([]);
  expect(await incoming()).toHaveLength(4);
  await inTransaction(db, (tx) => staged.publish(tx));
  expect(await incoming()).toEqual([]);
  expect(await uploads()).toHaveLength(4);
  const [first = '', second = ''] = staged.paths.map((path) => path.replace('/uploads/', ''));
  expect(first).toMatch(/^[0-9a-f]{32}\.webp$/);
  expect(first).not.toBe(second);
  expect(await bytesOf(first, 'large')).toEqual(image.large);
  expect(await bytesOf(first, 'small')).toEqual(image.small);
  expect(await bytesOf(second, 'large')).toEqual(otherImage.large);
  expect(await bytesOf(second, 'small')).toEqual(otherImage.small);
});

test('removing one copy of an image keeps the other copy and the original', async () => {
  const original = { large: join(images.incomingFolder, 'l'), small: join(images.incomingFolder, 's') };
  await writeFile(original.large, image.large);
  await writeFile(original.small, image.small);
  const copies = await images.stage([original, original]);
  await inTransaction(db, (tx) => copies.publish(tx));
  const [first = '', second = ''] = copies.paths;
  await images.remove([first, 'https://example.org/a.webp']);
  expect(await uploads()).toHaveLength(2);
  expect(await bytesOf(second.replace('/uploads/', ''), 'large')).toEqual(image.large);
  expect(await bytesOf(second.replace('/uploads/', ''), 'small')).toEqual(image.small);
  expect(await readFile(original.large)).toEqual(image.large);
  expect(await readFile(original.small)).toEqual(image.small);
  await copies.discard();
  expect(await uploads()).toEqual([]);
  await Promise.all([rm(original.large), rm(original.small)]);
});

test('discarding removes images, published or not', async () => {
  const unpublished = await images.stage([image]);
  await unpublished.discard();
  const published = await images.stage([image]);
  await inTransaction(db, (tx) => published.publish(tx));
  await published.discard();
  expect([...(await uploads()), ...(await incoming())]).toEqual([]);
});

test('the sweep deletes images without a poll and keeps all others', async () => {
  const mara = await app.signUp();
  const poll = await makePoll(mara);
  const orphan = await images.stage([image]);
  await inTransaction(db, (tx) => orphan.publish(tx));
  const foreign = join(uploadsFolder(deps), 'readme.txt');
  await writeFile(foreign, 'not ours');

  expect(await sweepImages(images.storage, db)).toBe(1);
  expect(await uploads()).toHaveLength(5);
  await rm(foreign);
  expect((await mara.get(poll.option1Image)).status).toBe(200);
  expect((await mara.get(`${poll.option2Image}?w=480`)).status).toBe(200);
});

test('the sweep waits for transactions that have published images but not committed', async () => {
  const mara = await app.signUp();
  const poll = await makePoll(mara);
  const staged = await images.stage([image]);
  const { promise: mayCommit, resolve: commit } = Promise.withResolvers<void>();
  const { promise: published, resolve: hasPublished } = Promise.withResolvers<void>();
  const replacing = inTransaction(db, async (tx) => {
    await staged.publish(tx);
    hasPublished();
    await mayCommit;
    await tx.sql`update polls set option1_image = ${staged.paths[0] ?? ''} where id = ${poll.id}`;
  });
  await published;
  const sweeping = sweepImages(images.storage, db);
  // Time for a sweep that does not wait.
  await setTimeout(50);
  expect(await uploads()).toHaveLength(6);
  commit();
  await replacing;
  expect(await sweeping).toBe(1);
  expect((await mara.get(staged.paths[0] ?? '')).status).toBe(200);
  expect((await mara.get(poll.option1Image)).status).toBe(404);
});

test('the sweep deletes old unfinished uploads and folders, and keeps new uploads', async () => {
  const oldFile = join(images.incomingFolder, 'old.upload');
  await writeFile(oldFile, 'x');
  await writeFile(join(images.incomingFolder, 'new.upload'), 'x');
  const hourAgoS = Date.now() / 1000 - 3_600;
  await utimes(oldFile, hourAgoS, hourAgoS);
  const oldFolder = join(images.incomingFolder, '.tried-x1y2z3');
  await mkdir(oldFolder);
  await utimes(oldFolder, hourAgoS, hourAgoS);
  await sweepIncoming(images.incomingFolder, 15 * 60_000);
  expect(await incoming()).toEqual(['new.upload']);
});

test('the sweep deletes no images if the database uses none of many', async () => {
  const staged = await images.stage(Array.from({ length: 20 }, () => image));
  await inTransaction(db, (tx) => staged.publish(tx));
  await expect(sweepImages(images.storage, db)).rejects.toThrow('None of the 20 stored images belongs');
  expect(await uploads()).toHaveLength(40);
  await staged.discard();
});

test.each(['new', 'restored'])('the server of a %s database deletes no images', async (kind) => {
  await makePoll(await app.signUp());
  const orphan = await images.stage([image]);
  await inTransaction(db, (tx) => orphan.publish(tx));
  if (kind === 'restored') {
    await db.sql`update server_state set epoch_began_at = '2026-01-01'`;
    await renewEpoch(db);
  }
  await sweepFiles(deps);
  expect(await uploads()).toHaveLength(6);
});

test('the sweep ends when the server stops, even while the storage lists many images slowly', async () => {
  await db.sql`update server_state set epoch_began_at = now() - interval '8 days'`;
  let listed = 0;
  async function* listPublished() {
    for (;;) {
      await setTimeout(10);
      yield `${(listed++).toString(16).padStart(32, '0')}.webp`;
    }
  }
  const storage = { ...images.storage, listPublished };
  const onError = vi.fn();
  const stopSweeps = await startFileSweeps({ ...deps, images: { ...images, storage } }, onError);
  await expect.poll(() => listed).toBeGreaterThan(0);
  await stopSweeps();
  expect(onError).not.toHaveBeenCalled();
});

test('files left by a crash are deleted at startup', async () => {
  await db.sql`update server_state set epoch_began_at = now() - interval '8 days'`;
  const orphan = await images.stage([image]);
  await inTransaction(db, (tx) => orphan.publish(tx));
  const newFile = join(images.incomingFolder, 'new.upload');
  await writeFile(newFile, 'x');
  // The clock of a file server may be ahead.
  const inAMinuteS = Date.now() / 1000 + 60;
  await utimes(newFile, inAMinuteS, inAMinuteS);
  const onError = vi.fn();
  const stopSweeps = await startFileSweeps(deps, onError);
  await expect.poll(uploads).toEqual([]);
  await stopSweeps();
  expect(onError).not.toHaveBeenCalled();
  // With PostgreSQL several processes may share the folder, so that a new file may belong to another process.
  expect(await incoming()).toEqual(db.kind === 'embedded' ? [] : ['new.upload']);
});
