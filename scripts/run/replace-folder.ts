import { mkdtemp, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** Moves the folder `from` to `to`, in place of the one there. Both are renamed, so concurrent calls never mix their files. */
export async function replaceFolder(from: string, to: string): Promise<void> {
  const replaced = await mkdtemp(join(dirname(to), 'old-'));
  try {
    for (let attempt = 0; !(await moveIfVacant(from, to)); attempt += 1) {
      await rename(to, join(replaced, String(attempt))).catch((error: unknown) => {
        // Another call has just moved it away.
        if (codeOf(error) !== 'ENOENT') throw error;
      });
    }
  } finally {
    await rm(replaced, { recursive: true, force: true });
  }
}

/** Moves a folder; returns false, and does nothing, if there is already one at `to`. */
async function moveIfVacant(from: string, to: string): Promise<boolean> {
  try {
    await rename(from, to);
    return true;
  } catch (error) {
    // POSIX allows both codes; XFS, for example, has EEXIST.
    if (['ENOTEMPTY', 'EEXIST'].includes(codeOf(error))) return false;
    throw error;
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}
