import { chmod, lstat, mkdir, mkdtemp, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test, vi } from 'vitest';
import { openImageStorage } from '#api/storage/open-image-storage.ts';
import { makeDataPrivate, prepareDataFolders } from './data-folders.ts';
import { asUnprivilegedUser } from './testing/servers/as-unprivileged-user.ts';
import {
  createServerData,
  PROCESS_TEST_TIMEOUT_MS,
  startServerProcess,
} from './testing/servers/server-process.ts';

vi.setConfig({ testTimeout: PROCESS_TEST_TIMEOUT_MS, hookTimeout: PROCESS_TEST_TIMEOUT_MS });

const baseFolder = await mkdtemp(join(tmpdir(), 'tot-private-'));
const serverData = await createServerData();
const dataDir = await mkdtemp(join(tmpdir(), 'tot-folders-'));
await openImageStorage({ dataDir, s3: null, imageStorage: 'folder' });
afterAll(async () => {
  await serverData.remove();
  await rm(baseFolder, { recursive: true });
  await rm(dataDir, { recursive: true });
});

const modeOf = async (path: string) => (await stat(path)).mode & 0o777;

/** The paths in a folder, and the folder itself, to which group or others have any right. */
async function exposedIn(path: string): Promise<string[]> {
  const entries = await readdir(path, { recursive: true, withFileTypes: true });
  const paths = [path, ...entries.map((entry) => join(entry.parentPath, entry.name))];
  const modes = await Promise.all(
    paths.map(async (path) => {
      // The server may have renamed the file in the meantime.
      const stats = await lstat(path).catch(() => null);
      return { path, mode: (stats?.mode ?? 0) & 0o077 };
    }),
  );
  return modes.filter(({ mode }) => mode !== 0).map(({ path }) => path);
}

async function expose(path: string): Promise<void> {
  for (const entry of await readdir(path, { recursive: true, withFileTypes: true })) {
    await chmod(join(entry.parentPath, entry.name), entry.isDirectory() ? 0o755 : 0o666);
  }
  await chmod(path, 0o755);
}

test.each(['uploads', 'incoming'])('the error names the folder %s if it is not writable', async (name) => {
  // Any user may write, until the folder of this test case is made read-only.
  await chmod(dataDir, 0o777);
  for (const subfolder of ['uploads', 'incoming']) await chmod(join(dataDir, subfolder), 0o777);
  await asUnprivilegedUser(() => prepareDataFolders(dataDir, { isEmbedded: false, hasMails: true }));
  await chmod(join(dataDir, name), 0o555);
  await expect(
    asUnprivilegedUser(() => prepareDataFolders(dataDir, { isEmbedded: false, hasMails: true })),
  ).rejects.toThrow(
    `DATA_DIR cannot be written: ${join(dataDir, name)} is not writable for this user (EACCES). Fix that,`,
  );
});

test('a DATA_DIR in a folder that allows no new ones, such as /proc, is reported', async () => {
  for (const name of ['nope', 'nope/data']) {
    await expect(
      prepareDataFolders(join('/proc', name), { isEmbedded: false, hasMails: false }),
    ).rejects.toThrow(`DATA_DIR cannot be written: /proc/${name} `);
  }
});

test('only the server’s own user can read the files that the server finds or writes in DATA_DIR', async () => {
  const { DATA_DIR = '' } = serverData.env;
  const firstServer = await startServerProcess(serverData.env);
  await firstServer.listening;
  expect(await exposedIn(DATA_DIR)).toEqual([]);
  firstServer.child.kill('SIGKILL');
  await firstServer.exited;

  await expose(DATA_DIR);
  const secondServer = await startServerProcess(serverData.env);
  await secondServer.listening;
  const response = await fetch(`${secondServer.address}/api/register`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ username: 'mara', email: 'mara@example.org', password: 'secret horse' }),
  });
  expect(response.status).toBe(201);
  await expect.poll(() => readdir(join(DATA_DIR, 'mail'))).toHaveLength(1);
  expect(await exposedIn(DATA_DIR)).toEqual([]);
  secondServer.child.kill('SIGTERM');
  expect(await secondServer.exited).toBe(0);
  expect(await exposedIn(DATA_DIR)).toEqual([]);
  expect(secondServer.stdout()).not.toContain('Other users');
});

test('makeDataPrivate does not change other folders, the targets of links or a folder with the sticky bit', async () => {
  const dataDir = join(baseFolder, 'mixed');
  const uploads = join(dataDir, 'uploads');
  const foreign = join(dataDir, 'other');
  for (const path of [uploads, foreign]) await mkdir(path, { recursive: true });
  for (const file of [join(foreign, 'file'), join(uploads, 'image'), join(baseFolder, 'target')]) {
    await writeFile(file, '');
    await chmod(file, 0o644);
  }
  await symlink(join(baseFolder, 'target'), join(uploads, 'link'));
  await symlink(join(baseFolder, 'nowhere'), join(uploads, 'broken'));
  await chmod(foreign, 0o755);
  await chmod(dataDir, 0o1777);
  expect(await makeDataPrivate(dataDir)).toEqual([]);
  expect(await modeOf(uploads)).toBe(0o700);
  expect(await modeOf(join(uploads, 'image'))).toBe(0o600);
  expect(await modeOf(foreign)).toBe(0o755);
  expect(await modeOf(join(foreign, 'file'))).toBe(0o644);
  expect(await modeOf(join(baseFolder, 'target'))).toBe(0o644);
  expect((await stat(dataDir)).mode & 0o7777).toBe(0o1777);
});

test('a data folder that is a link to another disk is made private', async () => {
  const dataDir = join(baseFolder, 'linked');
  const disk = join(baseFolder, 'disk');
  await mkdir(dataDir);
  await mkdir(disk);
  await writeFile(join(disk, 'image'), '');
  await chmod(join(disk, 'image'), 0o644);
  await symlink(disk, join(dataDir, 'uploads'));
  expect(await makeDataPrivate(dataDir)).toEqual([]);
  expect(await exposedIn(disk)).toEqual([]);
});

test('makeDataPrivate returns the paths that belong to another user', async () => {
  // Only root can switch to another user. Any other user can use a system folder, which belongs to root.
  const isRoot = process.geteuid?.() === 0;
  const dataDir = isRoot ? join(baseFolder, 'of-root') : '/usr';
  if (isRoot) {
    await mkdir(dataDir);
    await chmod(baseFolder, 0o755);
    await chmod(dataDir, 0o755);
  }
  expect(await asUnprivilegedUser(() => makeDataPrivate(dataDir))).toEqual([dataDir]);
});
