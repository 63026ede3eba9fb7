import { link, mkdir, mkdtemp, rm, rmdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { createFolderStorage } from '#api/storage/folder-storage.ts';
import { createStorageMeter } from './storage-meter.ts';

const folder = await mkdtemp(join(tmpdir(), 'this-or-that-meter-'));
afterAll(() => rm(folder, { recursive: true, force: true }));

const storageIn = (published: string) => createFolderStorage({ published, incoming: folder });

test('the size of all files in a folder is measured at most once a minute', async () => {
  let nowMs = 0;
  const meter = createStorageMeter(await storageIn(folder), () => nowMs);
  expect(await meter.read()).toBe(0);
  await writeFile(join(folder, 'one'), Buffer.alloc(1_000));
  await writeFile(join(folder, 'two'), Buffer.alloc(24));
  // Folders do not count.
  await mkdir(join(folder, 'inner'));
  nowMs = 59_999;
  expect(await meter.read()).toBe(0);
  nowMs = 60_000;
  expect(await Promise.all([meter.read(), meter.read()])).toEqual([1_024, 1_024]);
});

test('an unreadable folder is an error only until a measurement has succeeded', async () => {
  const missing = join(folder, 'missing');
  let nowMs = 0;
  const meter = createStorageMeter(await storageIn(missing), () => nowMs);
  await rmdir(missing);
  await expect(meter.read()).rejects.toThrow('ENOENT');
  await mkdir(missing);
  expect(await meter.read()).toBe(0);
  nowMs = 60_000;
  await rmdir(missing);
  expect(await meter.read()).toBe(0);
});

test('a file with several hard links counts once', async () => {
  const linked = await mkdtemp(join(folder, 'linked-'));
  await writeFile(join(linked, 'one'), Buffer.alloc(1_000));
  await link(join(linked, 'one'), join(linked, 'two'));
  await link(join(linked, 'one'), join(linked, 'three'));
  expect(await createStorageMeter(await storageIn(linked)).read()).toBe(1_000);
});

test('a file counts in full while a backup is linked to it', async () => {
  const [published, backup] = [
    await mkdtemp(join(folder, 'published-')),
    await mkdtemp(join(folder, 'backup-')),
  ];
  await writeFile(join(published, 'one'), Buffer.alloc(1_000));
  await link(join(published, 'one'), join(backup, 'one'));
  expect(await createStorageMeter(await storageIn(published)).read()).toBe(1_000);
});
