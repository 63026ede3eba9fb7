import { join } from 'node:path';
import { type Database, openEmbedded, openPostgres } from './client.ts';
import { BrokenDatabaseError } from './embedded.ts';
import { migrateEmbedded, migratePostgres } from './migrate.ts';

/** The folder of the embedded database in `DATA_DIR`. */
export function embeddedFolder(dataDir: string): string {
  return join(dataDir, 'db');
}

/**
 * Opens and migrates the configured database. `onCrash` is called when an embedded database ends unexpectedly. Throws errors
 * of the driver, `OutdatedPostgresError`, `FolderInUseError` or `BrokenDatabaseError`.
 */
export async function openDatabase(
  { databaseUrl, dataDir }: { databaseUrl: string | null; dataDir: string },
  onCrash: (error: Error) => void,
): Promise<Database> {
  if (databaseUrl !== null) {
    await migratePostgres(databaseUrl);
    return openPostgres(databaseUrl);
  }
  const folder = embeddedFolder(dataDir);
  const db = await openEmbedded(folder, onCrash);
  try {
    await migrateEmbedded(db);
  } catch (error) {
    await db.close();
    throw new BrokenDatabaseError(folder, error);
  }
  return db;
}
