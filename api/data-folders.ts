import { mkdir, mkdtemp, rmdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A folder that the server needs cannot be used. The message says which, why and what to do, in one line. */
export class FolderError extends Error {
  constructor(words: string, cause?: unknown) {
    super(words, { cause });
    this.name = 'FolderError';
  }
}

const SUBFOLDERS = ['uploads', 'incoming', 'samples', 'jobs'];
/** The longest path of a socket that every system takes. */
const SOCKET_PATH_MAX_BYTES = 103;
const SOCKET_PATH_BELOW_TMPDIR = '/tot-XXXXXX/.s.PGSQL.5432';

/**
 * Makes the folders in `dataDir` and tries whether they can be used, so that a wrong one is noticed at the start
 * and not by the first upload. `isEmbedded`: the database is there too; `hasMails`: mails are written there.
 * Throws `FolderError`.
 */
export async function prepareDataFolders(
  dataDir: string,
  { isEmbedded, hasMails }: { isEmbedded: boolean; hasMails: boolean },
): Promise<void> {
  const folders = [dataDir, ...SUBFOLDERS.map((name) => join(dataDir, name))];
  if (isEmbedded) folders.push(join(dataDir, 'db'), join(dataDir, 'db', 'pglite'));
  if (hasMails) folders.push(join(dataDir, 'mail'));
  for (const folder of folders) {
    await makeUsable(folder).catch((error: unknown) => {
      throw new FolderError(
        `DATA_DIR cannot be written: ${folder} ${reasonOf(error)}. Mend that, or set DATA_DIR to another folder.`,
        error,
      );
    });
  }
  if (isEmbedded) await checkTemporaryFolder();
}

async function makeUsable(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  await tryOut(folder);
}

/** By doing it: rights alone do not tell of full disks, quotas and the like. */
async function tryOut(folder: string): Promise<void> {
  await rmdir(await mkdtemp(join(folder, '.tried-')));
}

async function checkTemporaryFolder(): Promise<void> {
  const folder = tmpdir();
  await tryOut(folder).catch((error: unknown) => {
    throw new FolderError(
      `TMPDIR cannot be written: ${folder} ${reasonOf(error)}. Set TMPDIR to a folder that can.`,
      error,
    );
  });
  if (Buffer.byteLength(folder + SOCKET_PATH_BELOW_TMPDIR) > SOCKET_PATH_MAX_BYTES) {
    throw new FolderError(`TMPDIR is too long for the path of a socket: ${folder}. Set it to a shorter one.`);
  }
}

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'is not ours to write',
  EPERM: 'is not ours to write',
  EROFS: 'is on a file system that is read-only',
  ENOENT: 'is not there',
  EEXIST: 'is a file, not a folder',
  ENOTDIR: 'has a file where a folder should be',
  ENOSPC: 'is on a disk that is full',
};

function reasonOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
  return `${REASONS[code] ?? 'cannot be used'} (${code})`;
}
