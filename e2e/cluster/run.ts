import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { runTable } from '#e2e/hard/run-table.ts';
import { installIfRequested } from '#scripts/run/install-packages.ts';
import { findInstalled } from './programs.ts';

/** Runs the tests of this folder, or those with the given numbers, and prints the table. */

/** The Debian package of each program. */
const PACKAGES = {
  initdb: 'postgresql',
  pgbouncer: 'pgbouncer',
  nginx: 'nginx-light',
  wrk: 'wrk',
} as const;

const { positionals: numbers } = parseArgs({
  allowPositionals: true,
  // `installIfRequested` reads this option; here it only has to be allowed.
  options: { install: { type: 'boolean' } },
});
if (numbers.some((number) => !/^\d+$/.test(number))) {
  throw new Error('Usage: npm run test:cluster -- [numbers] [--install]');
}

const missingPackages = () =>
  Object.entries(PACKAGES).flatMap(([program, name]) => (findInstalled(program) === undefined ? [name] : []));

installIfRequested(missingPackages());
if (missingPackages().length > 0) {
  process.stdout.write(`Missing programs: apt-get install ${missingPackages().join(' ')}\n`);
  process.exit(1);
}
process.exit((await runTable({ config: join(import.meta.dirname, 'vitest.config.ts'), numbers })) ? 0 : 1);
