import { mkdir, mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { sweepIncoming } from '#api/housekeeping/file-sweep.ts';
import { type S3Server, startS3Server } from '#api/testing/external-services/s3-server.ts';
import { createFallbackStorage } from './fallback-storage.ts';
import { createFolderStorage } from './folder-storage.ts';
import type { ImageStorage } from './image-storage.ts';
import { checkS3, createS3Storage } from './s3-storage.ts';
import type { S3Settings } from './s3-variables.ts';

/** Short, since tests wait for the timeout. */
const TIMES = { timeoutMs: 300, unpublishedMaxMs: 0 };
/** How many keys a server lists in one response. */
const LIST_PAGE = 1_000;

const folder = await mkdtemp(join(tmpdir(), 'tot-storage-'));
const published = join(folder, 'uploads');
const incoming = join(folder, 'incoming');
let server: S3Server;
let folderStorage: ImageStorage;
let bucket: ImageStorage;
beforeAll(async () => {
  server = await startS3Server();
});
afterAll(async () => {
  await server.close();
  await rm(folder, { recursive: true });
});
beforeEach(async () => {
  await rm(published, { recursive: true, force: true });
  folderStorage = await createFolderStorage({ published, incoming });
  bucket = createS3Storage(server.settings, { ...TIMES, unpublishedMaxMs: 60_000 });
  server.objects.clear();
  server.fault = null;
  server.listResponse = null;
});

const image = Buffer.from('an image');

async function all<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const list: Item[] = [];
  for await (const item of items) list.push(item);
  return list;
}

async function store(storage: ImageStorage, file: string, content: Buffer = image): Promise<void> {
  const staged = storage.stage();
  await staged.add(file, content);
  await staged.publish();
}

async function download(storage: ImageStorage, file: string): Promise<Buffer> {
  const opened = await storage.open(file);
  return Buffer.from(await new Response(opened?.stream()).arrayBuffer());
}

/** Makes all objects in the bucket a minute older. */
const backdate = () => {
  for (const object of server.objects.values()) object.modifiedMs -= 60_000;
};

/** The settings of a server that another program runs: see `scripts/test-s3.ts`. */
const externalServer: S3Settings | null = JSON.parse(process.env.S3_TEST_SETTINGS ?? 'null');

const KINDS: (readonly [string, () => ImageStorage])[] = [
  ['a folder', () => folderStorage],
  ['S3', () => bucket],
  ['a folder before S3', () => createFallbackStorage(folderStorage, bucket)],
  ['S3 before a folder', () => createFallbackStorage(bucket, folderStorage)],
  ...(externalServer === null
    ? []
    : [['S3 of another program', () => createS3Storage(externalServer)] as const]),
];

test('a file that a folder cannot discard does not prevent that the others are discarded', async () => {
  const staged = folderStorage.stage();
  await staged.add('a.webp', image);
  await staged.add('b.webp', image);
  await mkdir(join(published, 'a.webp'));
  await staged.discard();
  expect(await readdir(incoming)).toEqual([]);
});

describe.each(KINDS)('%s', (_kind, open) => {
  beforeEach(async () => {
    const storage = open();
    await storage.remove(await all(storage.list()));
  });

  test('stores published files, with their size and an ETag that changes with the content', async () => {
    const storage = open();
    await store(storage, 'a.webp');
    await storage.replace('b.webp', image);
    expect(await storage.read('a.webp')).toEqual(image);
    expect(await storage.exists('b.webp')).toBe(true);
    expect(await download(storage, 'a.webp')).toEqual(image);
    const before = await storage.open('b.webp');
    await before?.close();
    expect(before?.bytes).toBe(image.length);
    const otherImage = Buffer.from('another image');
    await storage.replace('b.webp', otherImage);
    const after = await storage.open('b.webp');
    await after?.close();
    expect(after?.bytes).toBe(otherImage.length);
    expect(after?.etag).toMatch(/^".+"$/);
    expect(after?.etag).not.toBe(before?.etag);
  });

  test('copies files from the disk, regardless of their age', async () => {
    const storage = open();
    const original = join(folder, 'original');
    await writeFile(original, image);
    const staged = storage.stage();
    await staged.add('a.webp', original);
    await utimes(original, 0, 0);
    await sweepIncoming(incoming, 60_000);
    await staged.publish();
    await rm(original);
    expect(await storage.read('a.webp')).toEqual(image);
  });

  test('returns null for files that were never published, discarded or removed', async () => {
    const storage = open();
    const staged = storage.stage();
    await staged.add('a.webp', image);
    await staged.discard();
    const laterStaged = storage.stage();
    await laterStaged.add('b.webp', image);
    await laterStaged.publish();
    await laterStaged.discard();
    await store(storage, 'c.webp');
    await storage.remove(['c.webp', 'd.webp']);
    for (const name of ['a', 'b', 'c', 'd']) {
      const file = `${name}.webp`;
      expect([await storage.open(file), await storage.read(file)]).toEqual([null, null]);
      expect(await storage.exists(file)).toBe(false);
    }
    expect(await readdir(incoming)).toEqual([]);
    expect(await all(storage.list())).toEqual([]);
  });

  test('lists published files and measures their size', async () => {
    const storage = open();
    for (const name of ['a', 'b', 'c']) await store(storage, `${name}.webp`);
    expect((await all(storage.list())).sort()).toEqual(['a.webp', 'b.webp', 'c.webp']);
    const bytes = (await all(storage.sizes())).reduce((sum, size) => sum + size, 0);
    expect(bytes).toBe(3 * image.length);
  });

  test('serves one file to many clients at once, even if some of them close it unread', async () => {
    const storage = open();
    await store(storage, 'a.webp', Buffer.alloc(1_000_000, 'x'));
    const opened = await Promise.all(Array.from({ length: 8 }, () => storage.open('a.webp')));
    await opened[0]?.close();
    await opened[1]?.stream().cancel();
    const read = await Promise.all(opened.slice(2).map((file) => new Response(file?.stream()).arrayBuffer()));
    expect(read.map(({ byteLength }) => byteLength)).toEqual(Array(6).fill(1_000_000));
  });
});

describe('a folder', () => {
  test('makes a file available when it is published, and only to the server’s user', async () => {
    const umask = process.umask(0o077);
    try {
      const staged = folderStorage.stage();
      await staged.add('a.webp', image);
      expect(await folderStorage.exists('a.webp')).toBe(false);
      await staged.publish();
      expect((await stat(join(published, 'a.webp'))).mode & 0o777).toBe(0o600);
    } finally {
      process.umask(umask);
    }
  });
});

test('other work runs while a large folder is listed', async () => {
  const files = Array.from({ length: 1_000 }, (_, index) => `${index}.webp`);
  await Promise.all(files.map((file) => writeFile(join(published, file), '')));
  const turnsAtFiles: number[] = [];
  let turns = 0;
  const countTurn = () => {
    turns += 1;
    immediate = setImmediate(countTurn);
  };
  let immediate = setImmediate(countTurn);
  for await (const _file of folderStorage.listPublished()) turnsAtFiles.push(turns);
  clearImmediate(immediate);
  expect(turnsAtFiles).toHaveLength(files.length);
  expect(new Set(turnsAtFiles).size).toBeGreaterThan(10);
});

describe('S3', () => {
  test('lists more than one page', async () => {
    for (let n = 0; n <= LIST_PAGE; n += 1)
      server.objects.set(`uploads/${n}.webp`, { bytes: image, modifiedMs: 0 });
    server.objects.set('elsewhere', { bytes: image, modifiedMs: 0 });
    expect(await all(bucket.listPublished())).toHaveLength(LIST_PAGE + 1);
  });

  test('does not sweep staged files that may still be published, and refuses to publish them once they are old', async () => {
    await store(bucket, 'b.webp');
    backdate();
    const staged = bucket.stage();
    await staged.add('a.webp', image);
    expect(await all(bucket.listPublished())).toEqual(['b.webp']);
    expect(await all(bucket.list())).toEqual(['a.webp', 'b.webp']);
    // More than half of `unpublishedMaxMs` later.
    vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 31_000);
    await expect(staged.publish()).rejects.toMatchObject({ code: 'unavailable' });
    vi.restoreAllMocks();
  });

  test.each(['rejects requests', 'never ends an error response', 'hangs'] as const)(
    'is unavailable within its timeout when the server %s',
    async (fault) => {
      await store(bucket, 'a.webp');
      const staged = bucket.stage();
      await staged.add('b.webp', image);
      server.fault = fault;
      const unavailable = { code: 'unavailable', retryAfterSeconds: 5 };
      const startMs = performance.now();
      await Promise.all([
        expect(bucket.stage().add('c.webp', image)).rejects.toMatchObject(unavailable),
        expect(bucket.open('a.webp')).rejects.toMatchObject(unavailable),
        expect(bucket.read('a.webp')).rejects.toMatchObject(unavailable),
        expect(bucket.exists('a.webp')).rejects.toMatchObject(unavailable),
        expect(bucket.replace('a.webp', image)).rejects.toMatchObject(unavailable),
        expect(bucket.remove(['a.webp'])).rejects.toMatchObject(unavailable),
        expect(all(bucket.listPublished())).rejects.toMatchObject(unavailable),
        // The sweep removes what remains.
        staged.discard(),
      ]);
      expect(performance.now() - startMs).toBeLessThan(5_000);
    },
  );

  test('is unavailable when the response contains only a part of an object', async () => {
    await store(bucket, 'a.webp');
    server.fault = 'sends partial content';
    await expect(bucket.open('a.webp')).rejects.toMatchObject({ code: 'unavailable' });
    await expect(bucket.read('a.webp')).rejects.toMatchObject({ code: 'unavailable' });
  });

  test.each([
    ['stalls', 'No bytes have arrived for too long'],
    ['breaks off responses', 'terminated'],
  ] as const)('ends the stream with an error when the server %s', async (fault, message) => {
    await store(bucket, 'a.webp', Buffer.alloc(1_000_000));
    server.fault = fault;
    await expect(download(bucket, 'a.webp')).rejects.toThrow(message);
    await expect(bucket.read('a.webp')).rejects.toMatchObject({ code: 'unavailable' });
  });

  test.each([
    '',
    '<!DOCTYPE html><html><body>Welcome</body></html>',
    '<?xml version="1.0"?><Error><Code>InternalError</Code></Error>',
    '<ListBucketResult></ListBucketResult>',
    '<ListBucketResult><IsTruncated>true</IsTruncated></ListBucketResult>',
    '<ListBucketResult><IsTruncated>false</IsTruncated><Contents><Key>uploads/a.webp</Key></Contents>',
  ])('is unavailable when the response to a list is "%s"', async (response) => {
    server.listResponse = response;
    await expect(all(bucket.list())).rejects.toMatchObject({ code: 'unavailable' });
    await expect(checkS3(server.settings)).rejects.toMatchObject({ code: 'unavailable' });
  });

  test.each([
    ['secret', { secretAccessKey: 'wrong' }],
    ['key', { accessKeyId: 'wrong' }],
    ['region', { region: 'us-wrong-1' }],
    ['bucket', { bucket: 'missing' }],
  ])('is unavailable with a wrong %s', async (_case, wrongSettings) => {
    const storage = createS3Storage({ ...server.settings, ...wrongSettings }, TIMES);
    await expect(store(storage, 'a.webp')).rejects.toMatchObject({ code: 'unavailable' });
    await expect(all(storage.listPublished())).rejects.toMatchObject({ code: 'unavailable' });
    await expect(checkS3({ ...server.settings, ...wrongSettings })).rejects.toMatchObject({
      code: 'unavailable',
    });
    expect(server.objects.size).toBe(0);
  });

  test('is unavailable when its bucket has been deleted, instead of treating images as missing', async () => {
    const storage = createS3Storage({ ...server.settings, bucket: 'deleted' }, TIMES);
    const unavailable = { code: 'unavailable' };
    await expect(storage.open('a.webp')).rejects.toMatchObject(unavailable);
    await expect(storage.read('a.webp')).rejects.toMatchObject(unavailable);
    await expect(storage.exists('a.webp')).rejects.toMatchObject(unavailable);
    await expect(storage.remove(['a.webp'])).rejects.toMatchObject(unavailable);
  });

  test('is unavailable when the same page is listed repeatedly', async () => {
    server.listResponse =
      '<ListBucketResult><IsTruncated>true</IsTruncated><NextContinuationToken>a</NextContinuationToken></ListBucketResult>';
    await expect(all(bucket.list())).rejects.toMatchObject({ code: 'unavailable' });
  });
});

describe('during a move of images', () => {
  test('images that are not moved yet are read, listed, replaced and removed in their old storage', async () => {
    await store(folderStorage, 'old.webp');
    await store(folderStorage, 'unused.webp');
    const storage = createFallbackStorage(bucket, folderStorage);
    await store(storage, 'new.webp');
    backdate();
    expect((await all(storage.listPublished())).sort()).toEqual(['new.webp', 'old.webp', 'unused.webp']);
    expect(await download(storage, 'old.webp')).toEqual(image);
    await storage.remove(['unused.webp']);
    await storage.replace('old.webp', Buffer.from('repaired'));
    expect(await readdir(published)).toEqual([]);
    expect([...server.objects.keys()].sort()).toEqual(['uploads/new.webp', 'uploads/old.webp']);
    expect(await storage.read('old.webp')).toEqual(Buffer.from('repaired'));
  });

  test('an image that is moved while it is looked up is found', async () => {
    await store(folderStorage, 'a.webp');
    const moving: ImageStorage = {
      ...folderStorage,
      open: async () => {
        server.objects.set('uploads/a.webp', {
          bytes: await readFile(join(published, 'a.webp')),
          modifiedMs: Date.now(),
        });
        return null;
      },
    };
    expect(await download(createFallbackStorage(bucket, moving), 'a.webp')).toEqual(image);
  });
});
