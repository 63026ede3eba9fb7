import { cpus, loadavg } from 'node:os';
import { startVitest } from 'vitest/node';
import type { Row } from './table-test.ts';

type Selection = {
  /** Path of Vitest's configuration, and the names of projects to run; all by default. */
  config: string;
  projects?: string[];
  /** The numbers of the tests to run; all if empty. */
  numbers: readonly string[];
};

const print = (text: string) => process.stdout.write(`${text}\n`);

/** Runs the tests and prints the table, then each violation. Returns whether all tests have passed. */
export async function runTable({ config, projects, numbers }: Selection): Promise<boolean> {
  const startedMs = performance.now();
  const vitest = await startVitest('test', [], {
    config,
    watch: false,
    ...(projects !== undefined && { project: projects }),
    ...(numbers.length > 0 && { testNamePattern: `^(?:${numbers.join('|')}) ` }),
  });
  const tests = vitest.state.getTestModules().flatMap((module) => [...module.children.allTests()]);
  for (const number of numbers) {
    if (!tests.some(({ name }) => name.startsWith(`${number} `))) print(`No test has the number ${number}.`);
  }
  const rows = tests.flatMap((test) => test.meta().row ?? []);
  rows.sort((a, b) => a.number - b.number || (a.database < b.database ? -1 : 1));
  const minutes = ((performance.now() - startedMs) / 60_000).toFixed(0);
  const [{ model = '' } = {}] = cpus();
  print(
    `\n${new Date().toISOString().slice(0, 10)}, ${cpus().length} × ${model.trim()}, Node ${process.version}, ` +
      `load average at the end ${loadavg()[0]?.toFixed(1)}, ${minutes} minutes\n`,
  );
  printRows(rows);
  const hasPassed = rows.length > 0 && tests.every((test) => test.result().state !== 'failed');
  // Vitest also sets the exit code if a test file could not be loaded, and then has no tests of it.
  const hasErrors = vitest.state.getUnhandledErrors().length > 0 || process.exitCode === 1;
  await vitest.close();
  return hasPassed && !hasErrors;
}

function printRows(rows: readonly Row[]): void {
  const hasDatabases = rows.some(({ database }) => database !== '');
  const printRow = (cells: readonly (string | number)[], database: string) =>
    print(`| ${(hasDatabases ? cells.toSpliced(2, 0, database) : cells).join(' | ')} |`);
  printRow(['#', 'Test', 'Load', 'Faults and figures', 'Violations', 's'], 'Database');
  printRow(['--:', '---', '---', '---', '--:', '--:'], '---');
  for (const { number, name, database, load, faults, violations, seconds } of rows) {
    printRow([number, name, load, faults, violations.length, seconds.toFixed(0)], database);
  }
  for (const { number, database, violations } of rows) {
    const label = database === '' ? number : `${number} on ${database}`;
    for (const violation of violations) print(`\nViolation of ${label}: ${violation}`);
  }
}
