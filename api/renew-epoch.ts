import { renewEpoch } from '#api/db/server-epoch.ts';
import { PRIVATE_UMASK } from './data-folders.ts';
import { openExistingDatabase } from './db/open-existing-database.ts';
import { readEnv } from './env.ts';
import { explainStartError, inStage, openingStage } from './start-error.ts';

process.umask(PRIVATE_UMASK);
try {
  const env = readEnv();
  const db = await inStage(openingStage(env), () => openExistingDatabase(env));
  try {
    process.stdout.write(`The epoch of the database is now ${await renewEpoch(db)}.\n`);
  } finally {
    await db.close();
  }
} catch (error) {
  process.stderr.write(`${explainStartError(error, 'The command failed')}\n`);
  process.exit(1);
}
