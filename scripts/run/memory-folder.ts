import { chmodSync, mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { join } from 'node:path';

/** Linux keeps what lies here in memory. */
const MEMORY_FOLDER = '/dev/shm';
/** Containers often have no more than 64 MB there. */
const ROOM_NEEDED_BYTES = 4 * 1024 ** 3;

function hasRoom(): boolean {
  try {
    const { bavail, bsize } = statfsSync(MEMORY_FOLDER);
    return bavail * bsize >= ROOM_NEEDED_BYTES;
  } catch {
    return false;
  }
}

/**
 * Has this process and those that it starts keep temporary files in memory where there is room. Tests make thousands
 * of them, and none has to outlive a power cut. They lie in one folder, which goes when this process ends.
 */
export function keepTemporaryFilesInMemory(): void {
  if (process.env.TMPDIR?.startsWith(MEMORY_FOLDER) || !hasRoom()) return;
  const folder = mkdtempSync(join(MEMORY_FOLDER, 'tests-'));
  // PostgreSQL, which root starts as another user, must enter it.
  chmodSync(folder, 0o755);
  process.env.TMPDIR = folder;
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
}
