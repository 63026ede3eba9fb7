import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { FolderError } from '#api/data-folders.ts';
import { FolderInUseError, lockFolder } from '#api/db/folder-lock.ts';
import { embeddedFolder } from '#api/db/open-database.ts';
import type { Env } from '#api/env.ts';
import { ifMissing, syncFolder } from '#api/storage/durable-files.ts';
import { readVersion } from '#api/version.ts';
import { BACKUP_FILE, createBackup, partialOf } from './create-backup.ts';
import { copyTree, copyWhole, LOST_AND_FOUND, syncTree } from './files.ts';
import { backupsFolder, isPending, requestBackup, takeFailure, withdrawRequest } from './serve-backups.ts';

const POLL_MS = 200;
/** The server looks every second. */
const TAKEN_UP_MS = 15_000;

/**
 * Makes a backup of `DATA_DIR`, by the server if one is running, and returns its folder: `target`, or without one a folder
 * in `DATA_DIR/backups`. Throws `FolderError`.
 */
export async function backUp(
  { dataDir, databaseUrl }: Pick<Env, 'dataDir' | 'databaseUrl'>,
  target: string | null,
): Promise<string> {
  if (databaseUrl !== null) {
    throw new FolderError(
      'The database is at DATABASE_URL: back it up with pg_dump, as docs/operating.md says.',
    );
  }
  if (!existsSync(join(embeddedFolder(dataDir), 'pglite', 'PG_VERSION'))) {
    throw new FolderError(`There is no database in ${embeddedFolder(dataDir)}. Set DATA_DIR.`);
  }
  if (target !== null && !(await isEmptyOrMissing(target))) {
    throw new FolderError(`${target} is there already. Name a folder that is not.`);
  }
  await mkdir(backupsFolder(dataDir), { recursive: true });
  const folder = join(backupsFolder(dataDir), new Date().toISOString().replaceAll(':', '-'));
  const unlock = lockIfFree(dataDir);
  if (unlock === null) await waitForServer(dataDir, folder);
  else {
    const pause = (work: () => Promise<void>) => work();
    await createBackup({ dataDir, version: await readVersion(), pause }, folder).finally(unlock);
  }
  if (target === null) return folder;
  await moveTo(target, folder);
  return target;
}

/** Whether a folder has nothing in it but what a new file system has. */
export async function isEmptyOrMissing(folder: string): Promise<boolean> {
  const names = await readdir(folder).catch(ifMissing<string[]>([]));
  return names.every((name) => name === LOST_AND_FOUND);
}

/** Null while a server uses the database. */
function lockIfFree(dataDir: string): (() => void) | null {
  try {
    return lockFolder(embeddedFolder(dataDir));
  } catch (error) {
    if (error instanceof FolderInUseError) return null;
    throw error;
  }
}

async function waitForServer(dataDir: string, folder: string): Promise<void> {
  await requestBackup(folder);
  const deadlineMs = performance.now() + TAKEN_UP_MS;
  let isTakenUp = false;
  for (;;) {
    await sleep(POLL_MS);
    const unlock = lockIfFree(dataDir);
    unlock?.();
    const wasPending = isPending(folder);
    if (existsSync(folder)) return;
    const failure = await takeFailure(folder);
    if (failure !== null) throw new FolderError(`The server could not make the backup: ${failure}`);
    if (unlock !== null) {
      await withdrawRequest(folder);
      throw new FolderError('The server ended before the backup was complete. Try again.');
    }
    if (!wasPending) {
      throw new FolderError('The server was restarted before the backup was complete. Try again.');
    }
    if (!isTakenUp && performance.now() > deadlineMs) {
      isTakenUp = !(await withdrawRequest(folder));
      if (!isTakenUp)
        throw new FolderError('The server does not make backups: is it an earlier release? Stop it first.');
    }
  }
}

/** Copies a backup, most likely to another file system, and removes the original. */
async function moveTo(target: string, folder: string): Promise<void> {
  await mkdir(dirname(target), { recursive: true });
  // What is there may be a mount point, whose place nothing else can take.
  const isThere = existsSync(target);
  // A folder of its own: what an interrupted backup has left is of another moment.
  const partial = await mkdtemp(`${partialOf(isThere ? join(target, 'backup') : target)}-`);
  try {
    await copyTree(folder, partial, copyWhole);
    await syncTree(partial);
    if (isThere) {
      const names = (await readdir(partial)).filter((name) => name !== BACKUP_FILE);
      for (const name of [...names, BACKUP_FILE]) await rename(join(partial, name), join(target, name));
    } else await rename(partial, target);
    await syncFolder(isThere ? target : dirname(target));
  } finally {
    await rm(partial, { recursive: true, force: true });
    await rm(folder, { recursive: true });
  }
}
