import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startPostgres } from '#api/testing/servers/postgres-server.ts';
import { runTable } from './run-table.ts';

/** Runs the tests of this folder, or those with the given numbers, and prints the table. */

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { database: { type: 'string' } },
});
if (positionals.some((number) => !/^\d+$/.test(number))) {
  throw new Error('Usage: npm run test:hard -- [numbers] [--database embedded|postgres]');
}

type Postgres = { url: string; stop(): Promise<void> };

/** The server at `TEST_DATABASE_URL`, or a new server for this run; null if PostgreSQL is not installed. */
async function findPostgres(): Promise<Postgres | null> {
  const { TEST_DATABASE_URL: url = '' } = process.env;
  if (url !== '') return { url, stop: async () => {} };
  try {
    return await startPostgres({ isDurable: true });
  } catch (error) {
    process.stdout.write(`PostgreSQL was not found: the tests run on the embedded database only. ${error}\n`);
    return null;
  }
}

const postgres = values.database === 'embedded' ? null : await findPostgres();
if (postgres !== null) process.env.TEST_DATABASE_URL = postgres.url;
const databases = values.database === undefined ? ['embedded', 'postgres'] : [values.database];
const hasPassed = await runTable({
  config: join(import.meta.dirname, 'vitest.config.ts'),
  projects: databases.filter((name) => name === 'embedded' || postgres !== null),
  numbers: positionals,
});
await postgres?.stop();
process.exit(hasPassed ? 0 : 1);
