import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { createFallbackStorage } from '#api/storage/fallback-storage.ts';
import { createFolderStorage } from '#api/storage/folder-storage.ts';
import type { ImageStorage } from '#api/storage/image-storage.ts';
import { createS3Storage } from '#api/storage/s3-storage.ts';
import { startS3Server } from '#api/testing/external-services/s3-server.ts';
import { fileNames } from './image-store.ts';
import { type MoveProgress, moveImages } from './move-images.ts';

const folder = await mkdtemp(join(tmpdir(), 'tot-move-'));
const published = join(folder, 'uploads');
const server = await startS3Server();
const bucketStorage = createS3Storage(server.settings);
let folderStorage: ImageStorage;
afterAll(async () => {
  await server.close();
  await rm(folder, { recursive: true });
});
beforeEach(async () => {
  server.objects.clear();
  await rm(published, { recursive: true, force: true });
  folderStorage = await createFolderStorage({ published, incoming: join(folder, 'incoming') });
});

/** The two files of one image, large and small. */
const FILES = fileNames(`${'0a'.repeat(16)}.webp`);
const bytesOf = (file: string) => Buffer.from(`the bytes of ${file}`);
const move = (from: ImageStorage, into: ImageStorage) => moveImages({ from, into, onProgress: () => {} });

async function expectAllFilesIn(storage: ImageStorage): Promise<void> {
  for (const file of FILES) expect(await storage.read(file)).toEqual(bytesOf(file));
}

/** A storage whose calls fail once `calls.remaining` is used up, as if the process had been killed. */
function failingAfter(calls: { remaining: number }, storage: ImageStorage): ImageStorage {
  const counted = <Result>(work: () => Promise<Result>): Promise<Result> => {
    calls.remaining -= 1;
    return calls.remaining < 0 ? Promise.reject(new Error('killed')) : work();
  };
  return {
    ...storage,
    read: (file) => counted(() => storage.read(file)),
    exists: (file) => counted(() => storage.exists(file)),
    replace: (file, bytes) => counted(() => storage.replace(file, bytes)),
    remove: (removed) => counted(() => storage.remove(removed)),
  };
}

describe.each([
  ['into the bucket', () => [folderStorage, bucketStorage] as const],
  ['into the folder', () => [bucketStorage, folderStorage] as const],
])('a move %s', (_case, storages) => {
  test('moves every file and reports its progress', async () => {
    const [from, into] = storages();
    for (const file of FILES) await from.replace(file, bytesOf(file));
    const reported: MoveProgress[] = [];
    expect(await moveImages({ from, into, onProgress: (progress) => reported.push(progress) })).toBe(2);
    const bytes = FILES.reduce((sum, file) => sum + bytesOf(file).length, 0);
    expect(reported.at(-1)).toEqual({ done: 2, total: 2, bytes });
    await expectAllFilesIn(into);
    for (const file of FILES) expect(await from.exists(file)).toBe(false);
    expect(await move(from, into)).toBe(0);
  });

  test('can be interrupted at any point: every file remains readable, and the next run resumes', async () => {
    const [from, into] = storages();
    let runs = 0;
    let isDone = false;
    while (!isDone) {
      for (const file of FILES) await from.replace(file, bytesOf(file));
      await into.remove(FILES);
      const calls = { remaining: runs };
      isDone = await move(failingAfter(calls, from), failingAfter(calls, into)).then(
        () => true,
        () => false,
      );
      await expectAllFilesIn(createFallbackStorage(into, from));
      await move(from, into);
      await expectAllFilesIn(into);
      runs += 1;
    }
    // There are five calls for each file: read, look for a copy, copy, compare, delete.
    expect(runs).toBe(5 * FILES.length + 1);
  });

  test('loses no file when two moves run concurrently', async () => {
    const [from, into] = storages();
    for (const file of FILES) await from.replace(file, bytesOf(file));
    // When this move has read its first file, the other move runs to completion.
    let isFirst = true;
    const overtaken: ImageStorage = {
      ...from,
      async read(file) {
        const bytes = await from.read(file);
        if (isFirst) {
          // Set before the other move, during which this move reads its second file.
          isFirst = false;
          await move(from, into);
        }
        return bytes;
      },
    };
    await move(overtaken, into);
    await expectAllFilesIn(into);
  });

  test('keeps the original when the copy differs', async () => {
    const [from, into] = storages();
    const [file = ''] = FILES;
    await from.replace(file, bytesOf(file));
    await into.replace(file, Buffer.from('a broken copy of an earlier run'));
    const broken: ImageStorage = { ...into, replace: async () => {} };
    await expect(move(from, broken)).rejects.toThrow('differs from its original');
    expect(await from.read(file)).toEqual(bytesOf(file));
    await move(from, into);
    expect(await into.read(file)).toEqual(bytesOf(file));
  });
});

test('files that are not images remain where they are', async () => {
  await writeFile(join(published, 'readme.txt'), 'not ours');
  expect(await move(folderStorage, bucketStorage)).toBe(0);
  expect(await readdir(published)).toEqual(['readme.txt']);
});
