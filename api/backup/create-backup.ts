import { mkdir, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Database } from '#api/db/client.ts';
import { embeddedFolder } from '#api/db/open-database.ts';
import { inTransaction } from '#api/db/transaction.ts';
import { isStaged } from '#api/jobs/job-files.ts';
import { syncFolder, writeFlushed } from '#api/storage/durable-files.ts';
import { cloneOrCopy, copyTree, linkIfExists, measureTrees, syncTree } from './files.ts';

/**
 * Folders whose files, except staged ones, can be linked while the server runs: each file is complete before a row refers to it,
 * is never changed in place, and remains as long as the row needs it.
 */
export const FILE_FOLDERS = ['uploads', 'jobs'];
/** Written last: a folder without this file is not a complete backup. */
export const BACKUP_FILE = 'backup.json';

/** Runs `work` while nothing writes to the files of the database, and everything committed has been written to them. */
type WritePause = (work: () => Promise<void>) => Promise<void>;

/** A `WritePause` that holds the only connection of the embedded database: other queries wait until `work` has ended. */
export function createWritePause(db: Database): WritePause {
  return (work) =>
    inTransaction(db, async (tx) => {
      // A restored copy then need not replay the write-ahead log. The query builder has no `checkpoint`.
      await tx.sql`checkpoint`;
      await work();
    });
}

/**
 * Copies the embedded database in `dataDir`, and hard-links all images and the files of jobs, into `folder`, which appears once
 * the backup is complete and flushed to disk. Returns the length of the pause, in which queries wait, in milliseconds.
 */
export async function createBackup(
  { dataDir, version, pause }: { dataDir: string; version: string; pause: WritePause },
  folder: string,
): Promise<number> {
  const partial = partialFolderOf(folder);
  const linkStored = async (from: string, to: string) => {
    if (!isStaged(from)) await linkIfExists(from, to);
  };
  const linkFiles = async () => {
    for (const name of FILE_FOLDERS) await copyTree(join(dataDir, name), join(partial, name), linkStored);
  };
  await mkdir(partial, { recursive: true });
  await linkFiles();
  let pausedMs = 0;
  await pause(async () => {
    const startMs = performance.now();
    await copyTree(
      join(embeddedFolder(dataDir), 'pglite'),
      join(embeddedFolder(partial), 'pglite'),
      cloneOrCopy,
    );
    // Links the files of rows that were committed since the first call.
    await linkFiles();
    pausedMs = Math.round(performance.now() - startMs);
  });
  await syncTree(partial);
  const manifest = { createdAt: new Date().toISOString(), version, ...(await measureBackup(partial)) };
  await writeFlushed(join(partial, BACKUP_FILE), Buffer.from(`${JSON.stringify(manifest)}\n`));
  await rename(partial, folder);
  await syncFolder(dirname(folder));
  return pausedMs;
}

/** The number and bytes of the files in a backup except `BACKUP_FILE`, by which an incomplete copy is detected. */
export function measureBackup(folder: string): ReturnType<typeof measureTrees> {
  return measureTrees([
    ...FILE_FOLDERS.map((name) => join(folder, name)),
    join(embeddedFolder(folder), 'pglite'),
  ]);
}

export const PARTIAL_SUFFIX = '.partial';

/** The folder of a backup until it is complete. */
export function partialFolderOf(folder: string): string {
  return folder + PARTIAL_SUFFIX;
}
