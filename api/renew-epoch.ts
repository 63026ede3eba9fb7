import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { renewEpoch } from '#api/db/server-epoch.ts';
import { PRIVATE_UMASK } from './data-folders.ts';
import type { Database } from './db/client.ts';
import { embeddedFolder, openDatabase } from './db/open-database.ts';
import { type Env, readEnv } from './env.ts';
import { ExplainedError } from './errors.ts';
import { explainStartError, inStage, openingStage } from './start-error.ts';

process.umask(PRIVATE_UMASK);
try {
  const env = readEnv();
  const db = await inStage(openingStage(env), () => openExisting(env));
  try {
    process.stdout.write(`The epoch of the database is now ${await renewEpoch(db)}.\n`);
  } finally {
    await db.close();
  }
} catch (error) {
  process.stderr.write(`${explainStartError(error, 'The command failed')}\n`);
  process.exit(1);
}

/** Opens the database, but creates none in a wrong DATA_DIR. */
async function openExisting(env: Env): Promise<Database> {
  const folder = embeddedFolder(env.dataDir);
  if (env.databaseUrl === null && !existsSync(join(folder, 'pglite', 'PG_VERSION'))) {
    throw new ExplainedError(`There is no database in ${folder}. Set DATA_DIR or DATABASE_URL.`);
  }
  return openDatabase(env, (error) => {
    throw error;
  });
}
