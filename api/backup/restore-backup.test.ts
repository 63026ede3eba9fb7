import { EventEmitter } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, open, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { afterAll, expect, onTestFinished, test, vi } from 'vitest';
import { openDatabase } from '#api/db/open-database.ts';
import { backUp } from './back-up.ts';
import { restoreBackup } from './restore-backup.ts';

const folder = await mkdtemp(join(tmpdir(), 'tot-restore-'));
afterAll(() => rm(folder, { recursive: true }));
const source = { dataDir: join(folder, 'data'), databaseUrl: null };
const db = await openDatabase(source, (error) => expect(error).toBeUndefined());
await db.close();
await mkdir(join(source.dataDir, 'uploads'));
await writeFile(join(source.dataDir, 'uploads', 'a.webp'), 'an image');
const backup = await backUp(source, join(folder, 'backup'));

test('a restore that fails at its last step leaves no files', async () => {
  const restored = { dataDir: join(folder, 'restored'), databaseUrl: null };
  const file = await open(join(backup, 'backup.json'));
  await file.close();
  const prototype: typeof file = Object.getPrototypeOf(file);
  const { sync } = prototype;
  const spy = vi.spyOn(prototype, 'sync').mockImplementation(async function (this: typeof file) {
    if (existsSync(join(restored.dataDir, 'db'))) throw new Error('The disk is broken');
    await sync.call(this);
  });
  onTestFinished(() => spy.mockRestore());
  await expect(restoreBackup(restored, backup)).rejects.toThrow('The disk is broken');
  expect(await readdir(restored.dataDir)).toEqual([]);
});

test('a restore fails if a server is started meanwhile, and leaves the files of that server', async () => {
  const restored = { dataDir: join(folder, 'in use'), databaseUrl: null };
  const files = [
    join(restored.dataDir, 'db', 'pglite', 'PG_VERSION'),
    join(restored.dataDir, 'uploads', 'b.webp'),
  ];
  const file = await open(join(backup, 'backup.json'));
  await file.close();
  const prototype: typeof file = Object.getPrototypeOf(file);
  const spy = vi.spyOn(prototype, 'sync').mockImplementationOnce(async () => {
    await mkdir(join(restored.dataDir, 'db', 'pglite'), { recursive: true });
    for (const path of files) await writeFile(path, 'new');
  });
  onTestFinished(() => spy.mockRestore());
  await expect(restoreBackup(restored, backup)).rejects.toThrow('ENOTEMPTY');
  const entries = await readdir(restored.dataDir, { recursive: true, withFileTypes: true });
  const left = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
  expect(left.sort()).toEqual(files);
  expect(await readdir(restored.dataDir)).not.toContain('restoring');
});

test('a restore fails if its database crashes, and leaves no files', async () => {
  const restored = { dataDir: join(folder, 'crashed'), databaseUrl: null };
  let listeners = 0;
  const spy = vi.spyOn(Worker.prototype, 'on').mockImplementation(function (
    this: Worker,
    event: string | symbol,
    listener: () => void,
  ) {
    if (event === 'exit') listeners += 1;
    // The first listener waits until the database is ready.
    if (event === 'exit' && listeners === 2)
      setImmediate(() => this.emit('error', new Error('Out of memory')));
    EventEmitter.prototype.on.call(this, event, listener);
    return this;
  });
  onTestFinished(() => spy.mockRestore());
  await expect(restoreBackup(restored, backup)).rejects.toThrow('Out of memory');
  expect(await readdir(restored.dataDir)).toEqual([]);
});
