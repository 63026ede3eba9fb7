import { mkdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import type { Database } from '#api/db/client.ts';
import { embeddedFolder } from '#api/db/open-database.ts';
import { inTransaction } from '#api/db/transaction.ts';
import { syncFolder, writeDurably } from '#api/storage/durable-files.ts';
import { copyTree, copyWhole, linkIfThere, measureTrees, syncTree } from './files.ts';

/** Folders of files that are there before a row refers to them, for as long as one does, and that never change. */
export const FILE_FOLDERS = ['uploads', 'jobs'];
/** Written last: a folder without it is no backup. */
export const BACKUP_FILE = 'backup.json';

/** Runs `work` while nobody writes to the files of the database, and with all that was committed in them. */
export type Pause = (work: () => Promise<void>) => Promise<void>;

/** Holds the only connection of the embedded database: other queries wait until `work` has ended. */
export function pauseOf(db: Database): Pause {
  return (work) =>
    inTransaction(db, async (tx) => {
      // Or else the copy would have to repeat what happened since the last one. The builder has none.
      await tx.sql`checkpoint`;
      await work();
    });
}

/**
 * Copies the embedded database in `dataDir` and hard-links the files that its rows refer to, into `folder`, which appears
 * when the backup is complete and on the disk. Returns for how long queries had to wait, in milliseconds.
 */
export async function createBackup(
  { dataDir, version, pause }: { dataDir: string; version: string; pause: Pause },
  folder: string,
): Promise<number> {
  const partial = partialOf(folder);
  const linkFiles = async () => {
    for (const name of FILE_FOLDERS) await copyTree(join(dataDir, name), join(partial, name), linkIfThere);
  };
  await mkdir(partial, { recursive: true });
  await linkFiles();
  let pausedMs = 0;
  await pause(async () => {
    const startMs = performance.now();
    await copyTree(
      join(embeddedFolder(dataDir), 'pglite'),
      join(embeddedFolder(partial), 'pglite'),
      copyWhole,
    );
    // Those of rows that were committed in between.
    await linkFiles();
    pausedMs = Math.round(performance.now() - startMs);
  });
  await syncTree(partial);
  const facts = { createdAt: new Date().toISOString(), version, ...(await measureBackup(partial)) };
  await writeDurably(join(partial, BACKUP_FILE), Buffer.from(`${JSON.stringify(facts)}\n`));
  await rename(partial, folder);
  await syncFolder(join(folder, '..'));
  return pausedMs;
}

/** What is in a backup besides `BACKUP_FILE`, so that an incomplete copy of it is found out. */
export function measureBackup(folder: string): ReturnType<typeof measureTrees> {
  const names = [...FILE_FOLDERS.map((name) => join(folder, name)), join(embeddedFolder(folder), 'pglite')];
  return measureTrees(names);
}

/** Where a backup is until it is complete. */
export function partialOf(folder: string): string {
  return `${folder}.partial`;
}
