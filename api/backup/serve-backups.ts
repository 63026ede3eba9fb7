import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { everySecond } from '#api/housekeeping/housekeeping.ts';
import { ifMissing } from '#api/storage/durable-files.ts';
import { createBackup, partialOf } from './create-backup.ts';

const REQUEST_SUFFIX = '.request';
const FAILURE_SUFFIX = '.failed';

type Source = Parameters<typeof createBackup>[0];
type Report = {
  onCreated(backup: { name: string; ms: number; pausedMs: number }): void;
  onError(error: unknown): void;
  /** An unfinished backup cannot be removed. */
  onLeftover(error: unknown): void;
};

/** Where the server keeps the backups of `dataDir` that it makes, and where it is asked for them. */
export function backupsFolder(dataDir: string): string {
  return join(dataDir, 'backups');
}

/** Asks the server that runs on `folder`'s data to make a backup there. */
export async function requestBackup(folder: string): Promise<void> {
  await writeFile(folder + REQUEST_SUFFIX, '');
}

/** Takes the request back; false when the server has taken it up. */
export async function withdrawRequest(folder: string): Promise<boolean> {
  return rm(folder + REQUEST_SUFFIX).then(() => true, ifMissing(false));
}

/** Whether the server has yet to take the request up, or to complete the backup or say why it could not. */
export function isPending(folder: string): boolean {
  // In the order in which they come and go.
  return existsSync(folder + REQUEST_SUFFIX) || existsSync(partialOf(folder));
}

/** Why the server could not make the backup; null while it has not said so. Reading it removes it. */
export async function takeFailure(folder: string): Promise<string | null> {
  const path = folder + FAILURE_SUFFIX;
  const reason = await readFile(path, 'utf8').catch(ifMissing(null));
  if (reason !== null) await rm(path, { force: true });
  return reason;
}

/**
 * Makes the backups that are asked for by files in `DATA_DIR/backups`, until the returned function is called, which waits
 * for one that is under way. What earlier processes left unfinished is removed. To be called by the one process that has
 * the embedded database open.
 */
export async function serveBackups(source: Source, report: Report): Promise<() => Promise<void>> {
  const folder = backupsFolder(source.dataDir);
  for (const name of await readdir(folder)) {
    if (name === partialOf(basename(name, '.partial'))) {
      await rm(join(folder, name), { recursive: true }).catch(report.onLeftover);
    }
  }
  return everySecond(async () => {
    const requests = (await readdir(folder)).filter((name) => name.endsWith(REQUEST_SUFFIX));
    for (const request of requests)
      await answer(source, join(folder, basename(request, REQUEST_SUFFIX)), report);
  }, report.onError);
}

async function answer(
  source: Source,
  folder: string,
  { onCreated, onError, onLeftover }: Report,
): Promise<void> {
  const removePartial = () => rm(partialOf(folder), { recursive: true, force: true }).catch(onLeftover);
  const startMs = performance.now();
  try {
    await mkdir(partialOf(folder), { recursive: true });
    if (!(await withdrawRequest(folder))) return await removePartial();
    const pausedMs = await createBackup(source, folder);
    onCreated({ name: basename(folder), ms: Math.round(performance.now() - startMs), pausedMs });
  } catch (error) {
    onError(error);
    await writeFile(folder + FAILURE_SUFFIX, error instanceof Error ? error.message : String(error));
    await removePartial();
    await withdrawRequest(folder);
  }
}
