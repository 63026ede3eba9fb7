import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startPostgres } from '#api/testing/servers/postgres-server.ts';
import { runTable } from './run-table.ts';

/** Runs the tests of this folder, or those with the given numbers, and prints the table. */

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { database: { type: 'string' } },
});
const databases = values.database === undefined ? ['embedded', 'postgres'] : [values.database];
if (
  positionals.some((number) => !/^\d+$/.test(number)) ||
  databases.some((name) => name !== 'embedded' && name !== 'postgres')
) {
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
    process.stdout.write(`PostgreSQL was not found, so no tests run on it. ${error}\n`);
    return null;
  }
}

const postgres = values.database === 'embedded' ? null : await findPostgres();
if (postgres !== null) process.env.TEST_DATABASE_URL = postgres.url;
const projects = databases.filter((name) => name === 'embedded' || postgres !== null);
const config = join(import.meta.dirname, 'vitest.config.ts');
// Without any project Vitest would run all of them.
const hasPassed = projects.length > 0 && (await runTable({ config, projects, numbers: positionals }));
await postgres?.stop();
process.exit(hasPassed ? 0 : 1);
