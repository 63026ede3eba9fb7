import { statfsSync } from 'node:fs';

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
 * of them, and none has to outlive a power cut.
 */
export function keepTemporaryFilesInMemory(): void {
  if (hasRoom()) process.env.TMPDIR = MEMORY_FOLDER;
}
