import { existsSync } from 'node:fs';
import { readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { FolderError } from '#api/data-folders.ts';
import { openEmbedded } from '#api/db/client.ts';
import { migrateEmbedded } from '#api/db/migrate.ts';
import { embeddedFolder } from '#api/db/open-database.ts';
import { renewEpoch } from '#api/db/server-epoch.ts';
import type { Env } from '#api/env.ts';
import { isEmptyOrMissing } from './back-up.ts';
import { BACKUP_FILE, FILE_FOLDERS } from './create-backup.ts';
import { copyTree, copyWhole, syncTree } from './files.ts';

/**
 * Restores the backup in `folder` into an empty `DATA_DIR` and gives it a new epoch, which is returned. The backup is only
 * read. Throws `FolderError`, and leaves `DATA_DIR` empty when it fails.
 */
export async function restoreBackup(
  { dataDir, databaseUrl }: Pick<Env, 'dataDir' | 'databaseUrl'>,
  folder: string,
): Promise<string> {
  if (databaseUrl !== null) {
    throw new FolderError(
      'The database is at DATABASE_URL: restore it with pg_restore, as docs/operating.md says.',
    );
  }
  if (!existsSync(join(folder, BACKUP_FILE))) {
    throw new FolderError(`${folder} is not a complete backup: it has no ${BACKUP_FILE}.`);
  }
  if (!(await isEmptyOrMissing(dataDir))) {
    throw new FolderError(
      `DATA_DIR is not empty: ${dataDir}. Move it away, or set DATA_DIR to another folder.`,
    );
  }
  // In its place when all else is: a restore that was interrupted must not look like a database.
  const restoring = join(dataDir, 'restoring');
  try {
    for (const name of FILE_FOLDERS) await copyTree(join(folder, name), join(dataDir, name), copyWhole);
    await copyTree(join(embeddedFolder(folder), 'pglite'), join(restoring, 'pglite'), copyWhole);
    const epoch = await openAnew(restoring);
    await syncTree(dataDir);
    await rename(restoring, embeddedFolder(dataDir));
    return epoch;
  } catch (error) {
    for (const name of await readdir(dataDir)) {
      if (name !== 'lost+found') await rm(join(dataDir, name), { recursive: true });
    }
    throw error;
  }
}

async function openAnew(folder: string): Promise<string> {
  const db = await openEmbedded(folder, (error) => {
    throw error;
  });
  try {
    await migrateEmbedded(db);
    return await renewEpoch(db);
  } finally {
    await db.close();
  }
}
