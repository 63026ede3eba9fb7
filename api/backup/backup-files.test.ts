import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { backUp } from './back-up.ts';
import { restoreBackup } from './restore-backup.ts';

const folder = await mkdtemp(join(tmpdir(), 'tot-backup-'));
afterAll(() => rm(folder, { recursive: true }));
const source = { dataDir: join(folder, 'data'), databaseUrl: null };
const database = (dataDir: string) => join(dataDir, 'db', 'pglite');

async function writeDatabase(dataDir: string, version: string): Promise<void> {
  await mkdir(database(dataDir), { recursive: true });
  await writeFile(join(database(dataDir), 'PG_VERSION'), version);
}

test('takes nothing from a backup to the same folder that was interrupted', async () => {
  await writeDatabase(source.dataDir, 'new');
  await writeDatabase(join(folder, 'target.partial'), 'old');
  const target = await backUp(source, join(folder, 'target'));
  expect(await readFile(join(database(target), 'PG_VERSION'), 'utf8')).toBe('new');
  expect(await readdir(join(source.dataDir, 'backups'))).toEqual([]);
});

test('a backup of which files are missing is not restored', async () => {
  await writeDatabase(source.dataDir, 'new');
  await mkdir(join(source.dataDir, 'uploads'), { recursive: true });
  await writeFile(join(source.dataDir, 'uploads', 'a.webp'), 'an image');
  for (const [name, missing] of [
    ['one', 'db'],
    ['two', 'uploads'],
  ] as const) {
    const backup = await backUp(source, join(folder, name));
    await rm(join(backup, missing), { recursive: true });
    const restored = { dataDir: join(folder, 'restored'), databaseUrl: null };
    await expect(restoreBackup(restored, backup)).rejects.toThrow('is not a complete backup');
    expect(await readdir(restored.dataDir).catch(() => [])).toEqual([]);
  }
});
