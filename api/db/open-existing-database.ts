import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Env } from '#api/env.ts';
import { ExplainedError } from '#api/errors.ts';
import type { Database } from './client.ts';
import { embeddedFolder, openDatabase } from './open-database.ts';

/** Opens the database for a command, but creates none in a wrong DATA_DIR: throws `ExplainedError`. */
export async function openExistingDatabase(env: Env): Promise<Database> {
  const folder = embeddedFolder(env.dataDir);
  if (env.databaseUrl === null && !existsSync(join(folder, 'pglite', 'PG_VERSION'))) {
    throw new ExplainedError(`There is no database in ${folder}. Set DATA_DIR or DATABASE_URL.`);
  }
  return openDatabase(env, (error) => {
    throw error;
  });
}
