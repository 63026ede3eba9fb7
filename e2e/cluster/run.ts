import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { runTable } from '#e2e/hard/run-table.ts';
import { findInstalled } from './programs.ts';

/** Runs the tests of this folder, or those with the given numbers, and prints the table. */

/** The Debian package of each program. */
const PACKAGES = {
  initdb: 'postgresql',
  pgbouncer: 'pgbouncer',
  nginx: 'nginx-light',
  wrk: 'wrk',
} as const;

const { positionals: numbers, values } = parseArgs({
  allowPositionals: true,
  options: { install: { type: 'boolean', default: false } },
});
if (numbers.some((number) => !/^\d+$/.test(number))) {
  throw new Error('Usage: npm run test:cluster -- [numbers] [--install]');
}

const missingPackages = () =>
  Object.entries(PACKAGES).flatMap(([program, name]) => (findInstalled(program) === undefined ? [name] : []));

if (missingPackages().length > 0 && values.install && process.getuid?.() === 0) {
  const install = ['install', '-y', '--no-install-recommends', ...missingPackages()];
  spawnSync('apt-get', install, { stdio: 'inherit' });
}
if (missingPackages().length > 0) {
  process.stdout.write(`Missing programs: apt-get install ${missingPackages().join(' ')}\n`);
  process.exit(1);
}
process.exit((await runTable({ config: join(import.meta.dirname, 'vitest.config.ts'), numbers })) ? 0 : 1);
