import { mkdir, mkdtemp, rmdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A required folder is unusable. The message says which, why and what to do, in one line. */
export class FolderError extends Error {
  constructor(words: string, cause?: unknown) {
    super(words, { cause });
    this.name = 'FolderError';
  }
}

const SUBFOLDERS = ['uploads', 'incoming', 'samples', 'jobs'];
/** The longest socket path that every system supports. */
const SOCKET_PATH_MAX_BYTES = 103;
const SOCKET_PATH_IN_TMPDIR = '/tot-XXXXXX/.s.PGSQL.5432';

/**
 * Creates the folders in `dataDir` and checks that they can be written, so that an unusable one is found at startup and not by
 * the first upload. `isEmbedded`: the database is stored there; `hasMails`: mails are. Throws `FolderError`.
 */
export async function prepareDataFolders(
  dataDir: string,
  { isEmbedded, hasMails }: { isEmbedded: boolean; hasMails: boolean },
): Promise<void> {
  const folders = [dataDir, ...SUBFOLDERS.map((name) => join(dataDir, name))];
  if (isEmbedded) folders.push(join(dataDir, 'db'), join(dataDir, 'db', 'pglite'));
  if (hasMails) folders.push(join(dataDir, 'mail'));
  for (const folder of folders) {
    await reportUnusable('DATA_DIR', folder, 'Mend that, or set DATA_DIR to another folder.', async () => {
      await mkdir(folder, { recursive: true });
      await checkWritable(folder);
    });
  }
  if (isEmbedded) await checkTemporaryFolder(tmpdir());
}

async function checkTemporaryFolder(folder: string): Promise<void> {
  await reportUnusable('TMPDIR', folder, 'Set TMPDIR to a folder that can.', () => checkWritable(folder));
  if (Buffer.byteLength(folder + SOCKET_PATH_IN_TMPDIR) > SOCKET_PATH_MAX_BYTES) {
    throw new FolderError(`TMPDIR is too long for the path of a socket: ${folder}. Set it to a shorter one.`);
  }
}

/** Writes to the folder: permissions alone do not show full disks or quotas. */
async function checkWritable(folder: string): Promise<void> {
  await rmdir(await mkdtemp(join(folder, '.tried-')));
}

async function reportUnusable(variable: string, folder: string, advice: string, check: () => Promise<void>) {
  await check().catch((error: unknown) => {
    throw new FolderError(`${variable} cannot be written: ${folder} ${reasonOf(error)}. ${advice}`, error);
  });
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
