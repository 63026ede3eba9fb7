import { chmodSync, mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { join } from 'node:path';

/** On Linux, a tmpfs: a file system in memory. */
const MEMORY_FOLDER = '/dev/shm';
/** The minimum of free space; in containers this tmpfs often has only 64 MB. */
const FREE_MIN_BYTES = 4 * 1024 ** 3;

function hasFreeSpace(): boolean {
  try {
    const { bavail, bsize } = statfsSync(MEMORY_FOLDER);
    return bavail * bsize >= FREE_MIN_BYTES;
  } catch {
    return false;
  }
}

/**
 * Makes this process and its children store temporary files in memory, if there is enough space: tests create thousands of
 * them, and none has to be durable. They are in one folder, which is removed when this process exits.
 */
export function keepTemporaryFilesInMemory(): void {
  if (process.env.TMPDIR?.startsWith(MEMORY_FOLDER) || !hasFreeSpace()) return;
  const folder = mkdtempSync(join(MEMORY_FOLDER, 'tests-'));
  // When run by root, PostgreSQL is started as another user, who needs access to the folder.
  chmodSync(folder, 0o755);
  process.env.TMPDIR = folder;
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
}
