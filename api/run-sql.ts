import { PRIVATE_UMASK } from './data-folders.ts';
import { openExistingDatabase } from './db/open-existing-database.ts';
import { readEnv } from './env.ts';
import { ExplainedError } from './errors.ts';
import { explainStartError, inStage, openingStage } from './start-error.ts';

process.umask(PRIVATE_UMASK);
try {
  const [, , statement = ''] = process.argv;
  if (statement.trim() === '')
    throw new ExplainedError('Name the SQL statement: npm run db:sql -- "select 1"');
  const env = readEnv();
  const db = await inStage(openingStage(env), () => openExistingDatabase(env));
  try {
    const rows = await db.sql.unsafe(statement).catch((error: unknown) => {
      throw error instanceof Error ? new ExplainedError(error.message, error) : error;
    });
    process.stdout.write(`${rows.map((row) => `${JSON.stringify(row)}\n`).join('')}${rows.count} rows\n`);
  } finally {
    await db.close();
  }
} catch (error) {
  process.stderr.write(`${explainStartError(error, 'The command failed')}\n`);
  process.exit(1);
}
