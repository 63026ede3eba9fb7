import { type Dirent, existsSync, readdirSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, rmdir, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { inBatches, isNotFound } from '#api/storage/durable-files.ts';
import { ExplainedError } from './errors.ts';

const SUBFOLDERS = ['uploads', 'incoming', 'samples', 'jobs', 'exports', 'cards'];
/** Only the folder itself is made private: its files are links to those of `uploads` and `jobs`, or copies of private files. */
const BACKUP_FOLDER = 'backups';
const DATABASE_FOLDER = 'db';
const MAIL_FOLDER = 'mail';
/** The umask of every process that writes to `DATA_DIR`: nothing there is for other users of the machine. */
export const PRIVATE_UMASK = 0o077;
/** The sticky bit of folders that several users share, such as `/tmp`. These are not made private. */
const STICKY = 0o1000;
/** The longest socket path that every system supports. */
const SOCKET_PATH_MAX_BYTES = 103;
/** Where in `TMPDIR` the socket of the embedded database is. */
const SOCKET_PATH_IN_TMPDIR = '/tot-XXXXXX/.s.PGSQL.5432';

/**
 * Creates the folders in `dataDir` and checks that they can be written, so that a problem shows at startup and not at the first
 * upload. `isEmbedded`: the database is stored in `dataDir`; `hasMails`: mails are written there. Throws `ExplainedError`.
 */
export async function prepareDataFolders(
  dataDir: string,
  { isEmbedded, hasMails }: { isEmbedded: boolean; hasMails: boolean },
): Promise<void> {
  const folders = [dataDir, ...SUBFOLDERS.map((name) => join(dataDir, name))];
  if (isEmbedded) {
    const parts = [BACKUP_FOLDER, DATABASE_FOLDER, join(DATABASE_FOLDER, 'pglite')];
    folders.push(...parts.map((name) => join(dataDir, name)));
  }
  if (hasMails) folders.push(join(dataDir, MAIL_FOLDER));
  for (const folder of folders) {
    await explainFailure('DATA_DIR', folder, 'Fix that, or set DATA_DIR to another folder.', async () => {
      await createFolder(folder);
      await checkWritable(folder);
    });
  }
  if (isEmbedded) await checkTemporaryFolder(tmpdir());
}

/**
 * Like `mkdir` with `recursive`, except in a folder such as `/proc`, where creating a folder fails as if its parent were missing:
 * there Node would try again forever.
 */
async function createFolder(path: string): Promise<void> {
  if (!existsSync(dirname(path))) await createFolder(dirname(path));
  await mkdir(path).catch(async (error: unknown) => {
    const isFolder = await stat(path).then(
      (stats) => stats.isDirectory(),
      () => false,
    );
    if (!isFolder) throw error;
  });
}

async function checkTemporaryFolder(folder: string): Promise<void> {
  await explainFailure('TMPDIR', folder, 'Set TMPDIR to a writable folder.', () => checkWritable(folder));
  if (Buffer.byteLength(folder + SOCKET_PATH_IN_TMPDIR) > SOCKET_PATH_MAX_BYTES) {
    throw new ExplainedError(
      `TMPDIR is too long for the path of a socket: ${folder}. Set it to a shorter path.`,
    );
  }
}

/** Creates something in the folder, because permissions do not reveal a full disk or an exceeded quota. */
async function checkWritable(folder: string): Promise<void> {
  await rmdir(await mkdtemp(join(folder, '.tried-')));
}

/** Runs `work` in `folder`, and throws its errors as `ExplainedError`. */
async function explainFailure(variable: string, folder: string, advice: string, work: () => Promise<void>) {
  await work().catch((error: unknown) => {
    throw new ExplainedError(`${variable} cannot be written: ${folder} ${reasonOf(error)}. ${advice}`, error);
  });
}

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'is not writable for this user',
  EPERM: 'is not writable for this user',
  EROFS: 'is on a read-only file system',
  ENOENT: 'does not exist',
  EEXIST: 'is a file, not a folder',
  ENOTDIR: 'has a file where a folder should be',
  ENOSPC: 'is on a full disk',
};

function reasonOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
  return `${REASONS[code] ?? 'cannot be used'} (${code})`;
}

/**
 * Removes the rights of group and others from `dataDir` and from everything that the server stores in it, even if one of the
 * server's folders is a symbolic link. Does not change other folders or the targets of other links. Returns the paths that
 * belong to another user and remain accessible to others.
 */
export async function makeDataPrivate(dataDir: string): Promise<string[]> {
  const exposed: string[] = [];

  async function makePrivate(path: string): Promise<void> {
    try {
      const { mode } = await stat(path);
      if ((mode & PRIVATE_UMASK) !== 0 && (mode & STICKY) === 0)
        await chmod(path, mode & 0o7777 & ~PRIVATE_UMASK);
    } catch (error) {
      if (isDenied(error)) exposed.push(path);
      // Another process may have removed the file in the meantime.
      else if (!isNotFound(error)) throw error;
    }
  }

  await makePrivate(dataDir);
  await makePrivate(join(dataDir, BACKUP_FOLDER));
  for (const part of [...SUBFOLDERS, DATABASE_FOLDER, MAIL_FOLDER]) {
    const folder = join(dataDir, part);
    await makePrivate(folder);
    const entries = listEntries(folder).filter((entry) => entry.isFile() || entry.isDirectory());
    await inBatches(entries, (entry) => makePrivate(join(entry.parentPath, entry.name)));
  }
  return exposed;
}

function listEntries(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { recursive: true, withFileTypes: true });
  } catch (error) {
    if (isNotFound(error) || isDenied(error)) return [];
    throw error;
  }
}

function isDenied(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'EPERM' || error.code === 'EACCES');
}
