import { existsSync } from 'node:fs';
import { readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { openEmbedded } from '#api/db/client.ts';
import { migrateEmbedded } from '#api/db/migrate.ts';
import { embeddedFolder } from '#api/db/open-database.ts';
import { renewEpoch } from '#api/db/server-epoch.ts';
import type { Env } from '#api/env.ts';
import { ExplainedError } from '#api/errors.ts';
import { ifMissing, syncFolder } from '#api/storage/durable-files.ts';
import { readVersion } from '#api/version.ts';
import { isEmptyOrMissing } from './back-up.ts';
import { BACKUP_FILE, FILE_FOLDERS, measureBackup } from './create-backup.ts';
import { cloneOrCopy, copyTree, measureTrees, syncTree } from './files.ts';

/**
 * Restores the backup in `folder` into an empty `DATA_DIR` with a new epoch, which is returned. Does not change the backup.
 * Throws `ExplainedError` if it cannot be restored, and other errors, such as those of the file system. After an error nothing
 * of the backup is in `DATA_DIR`.
 */
export async function restoreBackup(
  { dataDir, databaseUrl }: Pick<Env, 'dataDir' | 'databaseUrl'>,
  folder: string,
): Promise<string> {
  if (databaseUrl !== null) {
    throw new ExplainedError(
      'The database is at DATABASE_URL: restore it with pg_restore, as docs/operating.md says.',
    );
  }
  await checkBackup(folder);
  if (!(await isEmptyOrMissing(dataDir))) {
    throw new ExplainedError(
      `DATA_DIR is not empty: ${dataDir}. Move it away, or set DATA_DIR to another folder.`,
    );
  }
  // Renamed into place last, so that an interrupted restore does not look like a database.
  const restoring = join(dataDir, 'restoring');
  let isInPlace = false;
  try {
    for (const name of FILE_FOLDERS) await copyTree(join(folder, name), join(dataDir, name), cloneOrCopy);
    await copyTree(join(embeddedFolder(folder), 'pglite'), join(restoring, 'pglite'), cloneOrCopy);
    const epoch = await migrateAndRenewEpoch(restoring);
    await syncTree(dataDir);
    await rename(restoring, embeddedFolder(dataDir));
    isInPlace = true;
    await syncFolder(dataDir);
    return epoch;
  } catch (error) {
    // A server that was started meanwhile has created this database, and may have stored other files in the same folders.
    const isOfServer = !isInPlace && existsSync(embeddedFolder(dataDir));
    // The database first: without its images it must not be started.
    const copies = isOfServer
      ? [restoring, ...(await listCopies(folder, dataDir))]
      : [embeddedFolder(dataDir), restoring, ...FILE_FOLDERS.map((name) => join(dataDir, name))];
    for (const path of copies) await rm(path, { recursive: true, force: true });
    throw error;
  }
}

/** Where the images and the folders of jobs of the backup in `folder` are in `dataDir`. Their names are random. */
async function listCopies(folder: string, dataDir: string): Promise<string[]> {
  const paths: string[] = [];
  for (const name of FILE_FOLDERS) {
    const copied = await readdir(join(folder, name)).catch(ifMissing<string[]>([]));
    paths.push(...copied.map((entry) => join(dataDir, name, entry)));
  }
  return paths;
}

/** Throws `ExplainedError` if files are missing, as after an interrupted copy, or if a later release made the backup. */
async function checkBackup(folder: string): Promise<void> {
  const path = join(folder, BACKUP_FILE);
  if (!existsSync(path)) {
    throw new ExplainedError(`${folder} is not a complete backup: it has no ${BACKUP_FILE}.`);
  }
  // Throws for symbolic links, also for those in place of a folder, which `measureBackup` would follow.
  await measureTrees([folder]);
  const expected = parseManifest(await readFile(path, 'utf8'));
  if (expected === null) {
    throw new ExplainedError(`${folder} is not a complete backup: its ${BACKUP_FILE} cannot be read.`);
  }
  const [release, ownRelease] = [releaseOf(expected.version ?? ''), releaseOf(await readVersion())];
  if (release === null) throw new ExplainedError(`${path} has no release: it is not a backup of this app.`);
  if (release.localeCompare(ownRelease ?? '', 'en', { numeric: true }) > 0) {
    throw new ExplainedError(
      `${folder} was made by release ${release}, which is newer than this one (${ownRelease}): restore it with that release or a newer one.`,
    );
  }
  const { files, bytes } = await measureBackup(folder);
  if (files !== expected.files || bytes !== expected.bytes) {
    throw new ExplainedError(
      `${folder} is not a complete backup: it has ${files} of ${expected.files} files, ${bytes} of ${expected.bytes} bytes.`,
    );
  }
}

/** The content of `BACKUP_FILE`; null if it is not JSON. */
function parseManifest(text: string): { version?: string; files: number; bytes: number } | null {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function releaseOf(version: string): string | null {
  return /^\d+\.\d+\.\d+/.exec(version)?.[0] ?? null;
}

/** Migrates the database in `folder` and returns its new epoch. */
async function migrateAndRenewEpoch(folder: string): Promise<string> {
  const crash = Promise.withResolvers<never>();
  const db = await openEmbedded(folder, crash.reject);
  try {
    return await Promise.race([crash.promise, migrateEmbedded(db).then(() => renewEpoch(db))]);
  } finally {
    await db.close();
  }
}
