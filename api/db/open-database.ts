import { join } from 'node:path';
import { type Database, openEmbedded, openPostgres } from './client.ts';
import { BrokenDatabaseError } from './embedded.ts';
import { migrateEmbedded, migratePostgres } from './migrate.ts';

/** Where the embedded database lies in `DATA_DIR`. */
export function embeddedFolder(dataDir: string): string {
  return join(dataDir, 'db');
}

/**
 * Opens the configured database and brings it up to date. `onCrash` hears of an embedded one that ends by itself.
 * Throws what a driver throws, `OutdatedPostgresError`, `FolderInUseError` or `BrokenDatabaseError`.
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
