import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { every } from '#api/housekeeping/housekeeping.ts';
import { ifMissing } from '#api/storage/durable-files.ts';
import { createBackup, PARTIAL_SUFFIX, partialFolderOf } from './create-backup.ts';

const REQUEST_SUFFIX = '.request';
const FAILURE_SUFFIX = '.failed';
const CHECK_INTERVAL_MS = 1_000;

type BackupSource = Parameters<typeof createBackup>[0];
type BackupEvents = {
  onCreated(backup: { name: string; ms: number; pausedMs: number }): void;
  onError(error: unknown): void;
  /** Called when an unfinished backup cannot be removed. */
  onLeftover(error: unknown): void;
};

/** The folder of the backups of `dataDir`, and of the requests to the server for them. */
export function backupsFolder(dataDir: string): string {
  return join(dataDir, 'backups');
}

/** Requests a backup in `folder`, which is in `DATA_DIR/backups`, from the server. */
export async function requestBackup(folder: string): Promise<void> {
  await writeFile(folder + REQUEST_SUFFIX, '');
}

/**
 * Removes a request: the server picks it up in this way, and the command withdraws it. False if the other of the two has done so
 * before.
 */
export async function removeRequest(folder: string): Promise<boolean> {
  return rm(folder + REQUEST_SUFFIX).then(() => true, ifMissing(false));
}

/** Whether the request still waits for the server, or the server is making the backup. */
export function isPending(folder: string): boolean {
  // In this order: the server creates the partial folder before it removes the request.
  return existsSync(folder + REQUEST_SUFFIX) || existsSync(partialFolderOf(folder));
}

/** Reads and removes the reason why the server could not make the backup; null if there is none. */
export async function consumeFailure(folder: string): Promise<string | null> {
  const path = folder + FAILURE_SUFFIX;
  const reason = await readFile(path, 'utf8').catch(ifMissing(null));
  if (reason !== null) await rm(path, { force: true });
  return reason;
}

/**
 * Makes the backups requested by files in `DATA_DIR/backups`, until the returned function is called, which waits for a running
 * backup. First removes the unfinished backups of earlier processes. Call it only in the process that has the embedded database
 * open.
 */
export async function serveBackups(source: BackupSource, events: BackupEvents): Promise<() => Promise<void>> {
  const folder = backupsFolder(source.dataDir);
  for (const name of await readdir(folder)) {
    if (name.endsWith(PARTIAL_SUFFIX))
      await rm(join(folder, name), { recursive: true }).catch(events.onLeftover);
  }
  return every(CHECK_INTERVAL_MS, events.onError, async () => {
    // An operator may have removed the folder together with old backups; the command creates it again.
    const names = await readdir(folder).catch(ifMissing<string[]>([]));
    const requests = names.filter((name) => name.endsWith(REQUEST_SUFFIX));
    for (const request of requests)
      await handleRequest(source, join(folder, basename(request, REQUEST_SUFFIX)), events);
  });
}

async function handleRequest(
  source: BackupSource,
  folder: string,
  { onCreated, onError, onLeftover }: BackupEvents,
): Promise<void> {
  const partial = partialFolderOf(folder);
  const remove = (path: string) => rm(path, { recursive: true, force: true }).catch(onLeftover);
  const startMs = performance.now();
  try {
    await mkdir(partial, { recursive: true });
    if (!(await removeRequest(folder))) return await remove(partial);
    const pausedMs = await createBackup(source, folder);
    onCreated({ name: basename(folder), ms: Math.round(performance.now() - startMs), pausedMs });
  } catch (error) {
    onError(error);
    // Frees space for the file with the reason: the disk may be full. The folder itself remains until that file is written,
    // since the command takes its absence for a restart.
    for (const name of await readdir(partial).catch(() => [])) await remove(join(partial, name));
    try {
      await writeFile(folder + FAILURE_SUFFIX, error instanceof Error ? error.message : String(error));
    } finally {
      await remove(partial);
      await removeRequest(folder);
    }
  }
}
