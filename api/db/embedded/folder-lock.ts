import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { ExplainedError } from '#api/errors.ts';

const SQLITE_BUSY = 5;

/** The databases that hold the locks of this process. Garbage collection would close them. */
const lockDatabases = new Set<DatabaseSync>();

/** Another process uses the folder. */
export class FolderInUseError extends ExplainedError {
  constructor(folder: string) {
    super(
      `Another process is using the database in ${folder}. Stop it first, or set DATA_DIR to another folder.`,
    );
  }
}

/**
 * Locks `folder` for this process until the returned function is called. An open SQLite transaction holds a lock of the
 * operating system, which is released when the process ends, even by a crash.
 */
export function lockFolder(folder: string): () => void {
  const lockDatabase = new DatabaseSync(join(folder, 'lock'), { timeout: 0 });
  try {
    lockDatabase.exec('begin exclusive');
  } catch (error) {
    lockDatabase.close();
    if (error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY) {
      throw new FolderInUseError(folder);
    }
    throw error;
  }
  lockDatabases.add(lockDatabase);
  return () => {
    lockDatabases.delete(lockDatabase);
    lockDatabase.close();
  };
}
