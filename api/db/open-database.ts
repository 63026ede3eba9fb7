import { join } from 'node:path';
import { ExplainedError } from '#api/errors.ts';
import { type Database, openEmbedded, openPostgres } from './client.ts';
import { findDatabaseError } from './database-error.ts';
import { BrokenDatabaseError, reasonOf } from './embedded/embedded.ts';
import { migrateEmbedded, migratePostgres } from './migrate.ts';

/** SQLSTATEs of internal errors, such as an unreadable block, and of files that cannot be read. */
const DAMAGED_FILES = /^(?:XX|58)/;

/** The folder of the embedded database in `DATA_DIR`. */
export function embeddedFolder(dataDir: string): string {
  return join(dataDir, 'db');
}

/** Whether statements and waits for locks on a PostgreSQL server have timeouts; a connection pooler may drop these settings. */
export async function hasTimeouts({ sql }: Database): Promise<boolean> {
  const [row] = await sql<[{ isLimited: boolean }]>`
    select '0' not in (current_setting('statement_timeout'), current_setting('lock_timeout')) as "isLimited"`;
  return row.isLimited;
}

/**
 * Migrates the configured database, bypassing a connection pooler if there is one (`databaseDirectUrl`), and opens it. `onCrash`
 * is called when an embedded database ends unexpectedly. Throws errors of the driver, and `ExplainedError`.
 */
export async function openDatabase(
  {
    databaseUrl,
    databaseDirectUrl,
    dataDir,
  }: { databaseUrl: string | null; databaseDirectUrl?: string | null; dataDir: string },
  onCrash: (error: Error) => void,
): Promise<Database> {
  if (databaseUrl !== null) {
    await migratePostgres(databaseDirectUrl ?? databaseUrl);
    return openPostgres(databaseUrl);
  }
  const folder = embeddedFolder(dataDir);
  const db = await openEmbedded(folder, onCrash);
  try {
    await migrateEmbedded(db);
  } catch (error) {
    // A broken database may not close, either.
    await db.close().catch(() => undefined);
    // Drizzle's error names the statement, and its cause the reason.
    const reason = error instanceof Error ? (error.cause ?? error) : error;
    if (DAMAGED_FILES.test(findDatabaseError(error).code)) throw new BrokenDatabaseError(folder, reason);
    throw new ExplainedError(
      `The database in ${folder} cannot be migrated (${reasonOf(reason)}). Fix that and start again.`,
      error,
    );
  }
  return db;
}
