import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Handle } from '#api/db/client.ts';
import { dataExports } from '#api/db/schema/data-exports.ts';
import { ageMsOf } from '#api/storage/durable-files.ts';
import { HOUR_MS } from '#shared/time.ts';

/** Minimum age of a file that is removed: newer ones may belong to an export in progress. */
const ORPHAN_MIN_AGE_MS = HOUR_MS;

export const exportsFolder = (dataDir: string) => join(dataDir, 'exports');

/** The path of the file of a finished export. */
export const exportPath = (dataDir: string, id: string) => join(exportsFolder(dataDir), `${id}.zip`);

/** Removes the files of deleted exports, if they exist. `sweepExports` removes those that cannot be removed now. */
export async function removeExports(dataDir: string, ids: readonly string[]): Promise<void> {
  for (const id of ids) await rm(exportPath(dataDir, id), { force: true }).catch(() => {});
}

/** Removes files whose export was deleted, and abandoned unfinished files. */
export async function sweepExports(dataDir: string, { orm }: Handle): Promise<void> {
  const files = await readdir(exportsFolder(dataDir)).catch(() => []);
  if (files.length === 0) return;
  const rows = await orm.select({ id: dataExports.id }).from(dataExports);
  const knownFiles = new Set(rows.map(({ id }) => `${id}.zip`));
  for (const file of files.filter((name) => !knownFiles.has(name))) {
    const path = join(exportsFolder(dataDir), file);
    if ((await ageMsOf(path)) >= ORPHAN_MIN_AGE_MS) await rm(path, { force: true, recursive: true });
  }
}
