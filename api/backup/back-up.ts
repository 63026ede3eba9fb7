import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { FolderInUseError, lockFolder } from '#api/db/embedded/folder-lock.ts';
import { embeddedFolder } from '#api/db/open-database.ts';
import type { Env } from '#api/env.ts';
import { ExplainedError } from '#api/errors.ts';
import { ifMissing, syncFolder } from '#api/storage/durable-files.ts';
import { readVersion } from '#api/version.ts';
import { BACKUP_FILE, createBackup, partialFolderOf } from './create-backup.ts';
import { cloneOrCopy, copyTree, LOST_AND_FOUND, syncTree } from './files.ts';
import { backupsFolder, consumeFailure, isPending, removeRequest, requestBackup } from './serve-backups.ts';

const CHECK_INTERVAL_MS = 200;
/** How long the server may take to pick up a request; it looks every second. */
const PICKUP_TIMEOUT_MS = 15_000;

/**
 * Makes a backup of `DATA_DIR`, through the server if one is running. Returns the folder of the backup: `target`, or if that
 * is null, a new folder in `DATA_DIR/backups`. Throws `ExplainedError`.
 */
export async function backUp(
  { dataDir, databaseUrl }: Pick<Env, 'dataDir' | 'databaseUrl'>,
  target: string | null,
): Promise<string> {
  if (databaseUrl !== null) {
    throw new ExplainedError(
      'The database is at DATABASE_URL: back it up with pg_dump, as docs/operating.md says.',
    );
  }
  if (!existsSync(join(embeddedFolder(dataDir), 'pglite', 'PG_VERSION'))) {
    throw new ExplainedError(`There is no database in ${embeddedFolder(dataDir)}. Set DATA_DIR.`);
  }
  if (target !== null && !(await isEmptyOrMissing(target))) {
    throw new ExplainedError(`${target} already exists and is not empty. Name another folder.`);
  }
  await mkdir(backupsFolder(dataDir), { recursive: true });
  const folder = join(backupsFolder(dataDir), new Date().toISOString().replaceAll(':', '-'));
  const unlock = lockIfFree(dataDir);
  if (unlock === null) await backUpThroughServer(dataDir, folder);
  else {
    // There is nothing to pause: nobody can write to a locked database.
    const pause = (work: () => Promise<void>) => work();
    try {
      await createBackup({ dataDir, version: await readVersion(), pause }, folder);
    } catch (error) {
      await rm(partialFolderOf(folder), { recursive: true, force: true });
      throw error;
    } finally {
      unlock();
    }
  }
  if (target === null) return folder;
  try {
    await copyBackup(folder, target);
  } finally {
    await rm(folder, { recursive: true });
  }
  return target;
}

/** Whether a folder is missing, or contains nothing but the `lost+found` of a new file system. */
export async function isEmptyOrMissing(folder: string): Promise<boolean> {
  const names = await readdir(folder).catch(ifMissing<string[]>([]));
  return names.every((name) => name === LOST_AND_FOUND);
}

/** Locks the embedded database and returns the function that unlocks it; null while a server uses it. */
function lockIfFree(dataDir: string): (() => void) | null {
  try {
    return lockFolder(embeddedFolder(dataDir));
  } catch (error) {
    if (error instanceof FolderInUseError) return null;
    throw error;
  }
}

/** Requests a backup from the server and waits until it is complete. Throws `ExplainedError`. */
async function backUpThroughServer(dataDir: string, folder: string): Promise<void> {
  await requestBackup(folder);
  const deadlineMs = performance.now() + PICKUP_TIMEOUT_MS;
  let isPickedUp = false;
  for (;;) {
    await sleep(CHECK_INTERVAL_MS);
    // Read before the check for the result: the server may complete the backup and stop at any moment.
    const unlock = lockIfFree(dataDir);
    const isServerRunning = unlock === null;
    unlock?.();
    const wasPending = isPending(folder);
    if (existsSync(folder)) return;
    const failure = await consumeFailure(folder);
    if (failure !== null) throw new ExplainedError(`The server could not make the backup: ${failure}`);
    if (!isServerRunning) {
      await removeRequest(folder);
      throw new ExplainedError('The server stopped before the backup was complete. Try again.');
    }
    if (!wasPending) {
      throw new ExplainedError('The server was restarted before the backup was complete. Try again.');
    }
    if (!isPickedUp && performance.now() > deadlineMs) {
      isPickedUp = !(await removeRequest(folder));
      if (!isPickedUp)
        throw new ExplainedError(
          'The server did not pick up the request: is it an earlier release? Stop it first.',
        );
    }
  }
}

/** Copies a backup, usually to another file system. */
async function copyBackup(folder: string, target: string): Promise<void> {
  await mkdir(dirname(target), { recursive: true });
  // An existing folder may be a mount point, which cannot be replaced.
  const targetExists = existsSync(target);
  // A new folder each time: an interrupted backup may have left files of another moment.
  const partial = await mkdtemp(`${partialFolderOf(targetExists ? join(target, 'backup') : target)}-`);
  try {
    await copyTree(folder, partial, cloneOrCopy);
    await syncTree(partial);
    if (targetExists) {
      const names = (await readdir(partial)).filter((name) => name !== BACKUP_FILE);
      for (const name of [...names, BACKUP_FILE]) await rename(join(partial, name), join(target, name));
    } else await rename(partial, target);
    await syncFolder(targetExists ? target : dirname(target));
  } finally {
    await rm(partial, { recursive: true, force: true });
  }
}
