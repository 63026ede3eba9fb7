import { cpus, loadavg } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startVitest } from 'vitest/node';
import { startPostgres } from '#api/testing/servers/postgres-server.ts';
import type { Row } from './hard-test.ts';

/** Runs the tests of this folder, all or those of the given numbers, and prints one table. */

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { database: { type: 'string' } },
});
if (positionals.some((number) => !/^\d+$/.test(number))) {
  throw new Error('Usage: npm run test:hard -- [numbers] [--database embedded|postgres]');
}

type Postgres = { url: string; stop(): Promise<void> };

/** The server at `TEST_DATABASE_URL`, or one that lives as long as this run; null where there is none. */
async function findPostgres(): Promise<Postgres | null> {
  const { TEST_DATABASE_URL: url = '' } = process.env;
  if (url !== '') return { url, stop: async () => {} };
  try {
    return await startPostgres({ isDurable: true });
  } catch (error) {
    print(`No PostgreSQL was found, so that the tests run on the embedded database only. ${error}`);
    return null;
  }
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

function toLine(row: Row): string {
  const { number, name, database, load, faults, violations, seconds } = row;
  return `| ${[number, name, database, load, faults, violations.length, seconds.toFixed(0)].join(' | ')} |`;
}

const startedMs = performance.now();
const postgres = values.database === 'embedded' ? null : await findPostgres();
if (postgres !== null) process.env.TEST_DATABASE_URL = postgres.url;
const databases = values.database === undefined ? ['embedded', 'postgres'] : [values.database];
const vitest = await startVitest('test', [], {
  config: join(import.meta.dirname, 'vitest.config.ts'),
  watch: false,
  project: databases.filter((name) => name === 'embedded' || postgres !== null),
  ...(positionals.length > 0 && { testNamePattern: `^(?:${positionals.join('|')}) ` }),
});
const tests = vitest.state.getTestModules().flatMap((module) => [...module.children.allTests()]);
const rows = tests.flatMap((test) => test.meta().row ?? []);
rows.sort((one, other) => one.number - other.number || (one.database < other.database ? -1 : 1));

const [{ model = '' } = {}] = cpus();
print(
  `\n${new Date().toISOString().slice(0, 10)}, ${cpus().length} × ${model.trim()}, Node ${process.version}, ` +
    `load average at the end ${loadavg()[0]?.toFixed(1)}, ${((performance.now() - startedMs) / 60_000).toFixed(0)} minutes\n`,
);
print('| # | Test | Database | Load | Faults and figures | Violations | s |\n|--:|---|---|---|---|--:|--:|');
for (const row of rows) print(toLine(row));
for (const { number, database, violations } of rows) {
  for (const violation of violations) print(`\nViolation of ${number} on ${database}: ${violation}`);
}
const isGood = rows.length > 0 && tests.every((test) => test.result().state !== 'failed');
const hasErrors = vitest.state.getUnhandledErrors().length > 0 || process.exitCode === 1;
await vitest.close();
await postgres?.stop();
process.exit(isGood && !hasErrors ? 0 : 1);
