import { execFile } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, expect, test, vi } from 'vitest';
import { lockFolder } from '#api/db/embedded/folder-lock.ts';
import { embeddedFolder } from '#api/db/open-database.ts';
import { asUnprivilegedUser } from '#api/testing/servers/as-unprivileged-user.ts';
import { backUp } from './back-up.ts';
import { restoreBackup } from './restore-backup.ts';
import { requestBackup, serveBackups } from './serve-backups.ts';

const folder = await mkdtemp(join(tmpdir(), 'tot-backup-'));
afterAll(() => rm(folder, { recursive: true }));
const source = { dataDir: join(folder, 'data'), databaseUrl: null };
const databaseFolder = (dataDir: string) => join(dataDir, 'db', 'pglite');

async function writeDatabase(dataDir: string, version: string): Promise<void> {
  await mkdir(databaseFolder(dataDir), { recursive: true });
  await writeFile(join(databaseFolder(dataDir), 'PG_VERSION'), version);
}

async function changeManifest(backup: string, changes: object): Promise<void> {
  const path = join(backup, 'backup.json');
  await writeFile(path, JSON.stringify({ ...JSON.parse(await readFile(path, 'utf8')), ...changes }));
}

test('a backup contains no file of an interrupted backup to the same folder', async () => {
  await writeDatabase(source.dataDir, 'new');
  await writeDatabase(join(folder, 'target.partial'), 'old');
  const target = await backUp(source, join(folder, 'target'));
  expect(await readFile(join(databaseFolder(target), 'PG_VERSION'), 'utf8')).toBe('new');
  expect(await readdir(join(source.dataDir, 'backups'))).toEqual([]);
});

test('a backup can be written to an existing folder, such as a mount point', async () => {
  await writeDatabase(source.dataDir, 'new');
  const target = join(folder, 'mounted');
  await mkdir(join(target, 'lost+found'), { recursive: true });
  await backUp(source, target);
  expect((await readdir(target)).sort()).toEqual(['backup.json', 'db', 'jobs', 'lost+found', 'uploads']);
  expect(await readFile(join(databaseFolder(target), 'PG_VERSION'), 'utf8')).toBe('new');
  // A link is accepted only in `lost+found`. The restore then fails because of the wrong number of files: with the right number,
  // it would open the database, which is not a real one.
  await symlink(folder, join(target, 'lost+found', 'link'));
  await changeManifest(target, { files: 2 });
  const restored = { dataDir: join(folder, 'restored'), databaseUrl: null };
  await expect(restoreBackup(restored, target)).rejects.toThrow('it has 1 of 2 files');
});

test('a backup has the uploaded files of a job, but none that the job is still writing', async () => {
  await writeDatabase(source.dataDir, 'new');
  const job = join(source.dataDir, 'jobs', 'a-job');
  await mkdir(join(job, 'staged-a-lease'), { recursive: true });
  await writeFile(join(job, '0'), 'an upload');
  await writeFile(join(job, 'staged-a-lease', 'a.webp'), 'the first half of an im');
  const backup = await backUp(source, join(folder, 'with-job'));
  expect(await readFile(join(backup, 'jobs', 'a-job', '0'), 'utf8')).toBe('an upload');
  expect(await readdir(join(backup, 'jobs'), { recursive: true })).not.toContainEqual(
    expect.stringContaining('a.webp'),
  );
  await rm(job, { recursive: true });
});

test('an unexpected error of a backup is reported as one of the command, not of the server', async () => {
  const dataDir = join(folder, 'blocked');
  await writeDatabase(dataDir, 'new');
  await writeFile(join(dataDir, 'backups'), 'not a folder');
  const script = fileURLToPath(import.meta.resolve('#scripts/backup.ts'));
  // The URLs are empty, so that `.env` does not set them.
  const env = { DATA_DIR: dataDir, DATABASE_URL: '', DATABASE_DIRECT_URL: '' };
  await expect(promisify(execFile)(process.execPath, [script], { env })).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^The command failed: Error: EEXIST/),
  });
});

test('a failed backup leaves no files', async () => {
  await writeDatabase(source.dataDir, 'new');
  const link = join(source.dataDir, 'uploads', 'link');
  await mkdir(join(source.dataDir, 'uploads'), { recursive: true });
  await symlink(folder, link);
  await expect(backUp(source, null)).rejects.toThrow('is neither a file nor a folder');
  await rm(link);
  expect(await readdir(join(source.dataDir, 'backups'))).toEqual([]);
});

test('a backup whose target cannot be written leaves no files', async () => {
  await writeDatabase(source.dataDir, 'new');
  const file = join(folder, 'file');
  await writeFile(file, '');
  await expect(backUp(source, join(file, 'target'))).rejects.toThrow(/EEXIST|ENOTDIR/);
  const readOnly = join(folder, 'read-only');
  await mkdir(readOnly);
  const backups = join(source.dataDir, 'backups');
  for (const path of [folder, source.dataDir, backups, embeddedFolder(source.dataDir)])
    await chmod(path, 0o777);
  await chmod(readOnly, 0o555);
  await expect(asUnprivilegedUser(() => backUp(source, join(readOnly, 'target')))).rejects.toThrow('EACCES');
  expect(await readdir(backups)).toEqual([]);
});

test('a failed backup of the server leaves no files, even if the reason cannot be written', async () => {
  await writeDatabase(source.dataDir, 'new');
  const backups = join(source.dataDir, 'backups');
  await mkdir(join(backups, 'a.failed'), { recursive: true });
  await requestBackup(join(backups, 'a'));
  const errors: unknown[] = [];
  const onError = (error: unknown) => errors.push(error);
  const pause = () => Promise.reject(new Error('The disk is full'));
  const stop = await serveBackups(
    { dataDir: source.dataDir, version: '1.0.0', pause },
    { onCreated: () => {}, onError, onLeftover: onError },
  );
  await stop();
  expect(errors).toMatchObject([{ message: 'The disk is full' }, { code: 'EISDIR' }]);
  expect(await readdir(backups)).toEqual(['a.failed']);
  await rm(join(backups, 'a.failed'), { recursive: true });
});

test('the server reports no error while the folder of the backups is missing, and makes the next backup', async () => {
  await writeDatabase(source.dataDir, 'new');
  const backups = join(source.dataDir, 'backups');
  const errors: unknown[] = [];
  const created: string[] = [];
  const onError = (error: unknown) => errors.push(error);
  const stop = await serveBackups(
    { dataDir: source.dataDir, version: '1.0.0', pause: (work) => work() },
    { onCreated: ({ name }) => created.push(name), onError, onLeftover: onError },
  );
  await rm(backups, { recursive: true });
  // The server looks every second.
  await sleep(1_500);
  await mkdir(backups);
  await requestBackup(join(backups, 'next'));
  await expect.poll(() => created).toEqual(['next']);
  await stop();
  expect(errors).toEqual([]);
  await rm(join(backups, 'next'), { recursive: true });
});

test('the command fails if the server is restarted before it has made the backup', async () => {
  await writeDatabase(source.dataDir, 'new');
  const backups = join(source.dataDir, 'backups');
  const unlock = lockFolder(embeddedFolder(source.dataDir));
  try {
    const failure = expect(backUp(source, null)).rejects.toThrow('The server was restarted');
    // As after a server that picked up the request and was then restarted.
    await vi.waitFor(async () => {
      const [request = ''] = (await readdir(backups)).filter((name) => name.endsWith('.request'));
      await rm(join(backups, request));
    });
    await failure;
  } finally {
    unlock();
  }
});

test('a backup with missing files is not restored', async () => {
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

test('a backup whose backup.json was not copied completely is not restored, and the error says so', async () => {
  await writeDatabase(source.dataDir, 'new');
  const backup = await backUp(source, join(folder, 'cut off'));
  await writeFile(join(backup, 'backup.json'), '{"createdAt":"2026-');
  const restored = { dataDir: join(folder, 'restored'), databaseUrl: null };
  await expect(restoreBackup(restored, backup)).rejects.toThrow(
    `${backup} is not a complete backup: its backup.json cannot be read.`,
  );
});

test.each(['uploads/a.webp', 'uploads'])('a backup in which %s is a link is not restored', async (path) => {
  await writeDatabase(source.dataDir, 'new');
  const backup = await backUp(source, join(folder, `linked ${path.replace('/', ' ')}`));
  const secrets = join(folder, 'secrets');
  await mkdir(secrets, { recursive: true });
  await writeFile(join(secrets, 'secret'), 'a secret');
  await rm(join(backup, path), { recursive: true, force: true });
  await symlink(path === 'uploads' ? secrets : join(secrets, 'secret'), join(backup, path));
  // So that only the link can be the reason for the refusal.
  await changeManifest(backup, { files: 2, bytes: 'new'.length + 'a secret'.length });
  const restored = { dataDir: join(folder, 'restored'), databaseUrl: null };
  await expect(restoreBackup(restored, backup)).rejects.toThrow('is neither a file nor a folder');
  expect(await readdir(restored.dataDir).catch(() => [])).toEqual([]);
});

test.each([
  ['99.0.0', 'was made by release 99.0.0, which is newer than this one'],
  [undefined, 'has no release'],
])('a backup of release %s is not restored', async (version, message) => {
  await writeDatabase(source.dataDir, 'new');
  const backup = await backUp(source, join(folder, `of ${version}`));
  await changeManifest(backup, { version });
  const restored = { dataDir: join(folder, 'restored'), databaseUrl: null };
  await expect(restoreBackup(restored, backup)).rejects.toThrow(message);
});

test('the server reports files of an earlier process that it cannot remove, and starts', async () => {
  const leftover = join(source.dataDir, 'backups', 'earlier.partial');
  await mkdir(join(leftover, 'db'), { recursive: true });
  await chmod(leftover, 0o500);
  // Otherwise the unprivileged user could not even list the backups.
  await chmod(folder, 0o755);
  const errors: unknown[] = [];
  const onLeftover = (error: unknown) => errors.push(error);
  const report = { onCreated: () => {}, onError: () => {}, onLeftover };
  const stop = await asUnprivilegedUser(() =>
    serveBackups({ dataDir: source.dataDir, version: '1.0.0', pause: (work) => work() }, report),
  );
  await stop();
  await chmod(leftover, 0o700);
  expect(errors).toMatchObject([{ code: 'EACCES' }]);
});
