import { PRIVATE_UMASK } from './data-folders.ts';
import { openExistingDatabase } from './db/open-existing-database.ts';
import { readEnv } from './env.ts';
import { ExplainedError } from './errors.ts';
import { explainStartError, inStage, openingStage } from './start-error.ts';

/**
 * With this protocol PostgreSQL accepts only one statement; for several, the driver would report wrong row counts. The driver's
 * types lack the option.
 */
const EXTENDED_PROTOCOL: object = { simple: false };

process.umask(PRIVATE_UMASK);
try {
  const [statement = '', ...others] = process.argv.slice(2);
  if (statement.trim() === '' || others.length > 0)
    throw new ExplainedError('Name one SQL statement, in quotes: npm run db:sql -- "select 1"');
  const env = readEnv();
  const db = await inStage(openingStage(env), () => openExistingDatabase(env));
  try {
    const rows = await db.sql.unsafe(statement, [], EXTENDED_PROTOCOL).catch((error: unknown) => {
      throw error instanceof Error ? new ExplainedError(error.message, error) : error;
    });
    for (const row of rows) process.stdout.write(`${JSON.stringify(row)}\n`);
    process.stderr.write(`${rows.command} ${rows.count ?? ''}`.trimEnd().concat('\n'));
  } finally {
    await db.close();
  }
} catch (error) {
  process.stderr.write(`${explainStartError(error, 'The command failed')}\n`);
  process.exit(1);
}
