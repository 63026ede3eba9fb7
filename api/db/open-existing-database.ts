import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Env } from '#api/env.ts';
import { ExplainedError } from '#api/errors.ts';
import { type Database, openPostgres } from './client.ts';
import { embeddedFolder, openDatabase } from './open-database.ts';

/**
 * Migrates and opens the database for a command, as `openDatabase` does, but throws `ExplainedError` if there is none yet: so a
 * command creates no database in a wrong DATA_DIR, and no tables in a wrong PostgreSQL database.
 */
export async function openExistingDatabase(env: Env): Promise<Database> {
  const folder = embeddedFolder(env.dataDir);
  if (env.databaseUrl === null && !existsSync(join(folder, 'pglite', 'PG_VERSION'))) {
    throw new ExplainedError(`There is no database in ${folder}. Set DATA_DIR or DATABASE_URL.`);
  }
  if (env.databaseUrl !== null) await checkTables(env.databaseDirectUrl ?? env.databaseUrl);
  return openDatabase(env, (error) => {
    throw error;
  });
}

async function checkTables(databaseUrl: string): Promise<void> {
  const db = openPostgres(databaseUrl);
  try {
    const [row] = await db.sql<[{ exists: boolean }]>`select to_regclass('users') is not null as exists`;
    if (!row.exists) {
      throw new ExplainedError(
        'The database at DATABASE_URL has no tables of this app. Restore it, or check its name.',
      );
    }
  } finally {
    await db.close();
  }
}
