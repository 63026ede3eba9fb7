import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Stryker } from '@stryker-mutator/core';

/** Files to mutate, and the tests that must detect the mutants. */
type MutatedPart = {
  files: readonly string[];
  /** The path of the Vitest configuration with the tests, relative to the project's folder. */
  tests: string;
  pool: 'threads' | 'forks';
};

export const MUTATED_PARTS = {
  device: {
    files: ['sync/protocol/*.ts', 'sync/operations/*.ts', 'sync/client/**/*.ts', '!sync/**/*.test.ts'],
    tests: 'scripts/mutations/device-tests.ts',
    pool: 'threads',
  },
  server: {
    files: [
      'shared/batch.ts',
      'api/http/{batch,receipts}.ts',
      'api/db/batcher.ts',
      'api/polls/poll-call.ts',
      'api/polls/voting/{cast-vote,change-vote,vote-writer}.ts',
      'api/polls/creating/{create-poll,store-poll}.ts',
    ],
    tests: 'scripts/mutations/server-tests.ts',
    pool: 'forks',
  },
} as const satisfies Record<string, MutatedPart>;

export type PartName = keyof typeof MUTATED_PARTS;

/** The minimum percentage of mutants that the tests must detect. */
const SCORE_MIN = 85;
/** Added to 1.5 times the duration of the tests without a mutant, so that a slow run on a busy machine is not a timeout. */
const EXTRA_TIMEOUT_MS = 20_000;
/** Results are cached for the next run, but not in git: they contain a copy of each file and change with it. */
const RESULTS_FOLDER = 'node_modules/.cache/mutations';

/**
 * Mutates one part, or only `files` of it, in a copy of the project. Prints the surviving mutants and a table of scores, and
 * writes both as HTML. If the score is below the minimum, the process will exit with 1. Unless `isForced`, mutants whose file
 * and tests have not changed since the last run keep their cached result.
 */
export async function runStryker(
  name: PartName,
  { files = [], isForced = false }: { files?: readonly string[]; isForced?: boolean } = {},
): Promise<void> {
  const part: MutatedPart = MUTATED_PARTS[name];
  const originalTmpdir = tmpdir();
  const folder = mkdtempSync(join(originalTmpdir, 'this-or-that-mutants-'));
  // PostgreSQL may have to run as another user, who needs access to its data.
  chmodSync(folder, 0o755);
  // Stryker kills test processes before they have removed their temporary files, so the whole folder is removed at exit.
  process.env.TMPDIR = folder;
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const stryker = new Stryker({
    mutate: files.length > 0 ? [...files] : [...part.files],
    testRunner: 'vitest',
    plugins: [import.meta.resolve('@stryker-mutator/vitest-runner')],
    vitest: { configFile: part.tests, pool: part.pool, related: false },
    mutator: {
      // Most strings are members of a union, where the type check detects another value. For the others, texts for users and
      // SQL, replacing the string by an empty one is not a useful test.
      excludedMutations: ['StringLiteral'],
    },
    coverageAnalysis: 'perTest',
    // Mutants in code that runs only at import, such as constants and schemas, are skipped: each would need a run of all tests.
    ignoreStatic: true,
    concurrency: 2,
    timeoutMS: EXTRA_TIMEOUT_MS,
    incremental: true,
    incrementalFile: `${RESULTS_FOLDER}/${name}.json`,
    force: isForced,
    tempDirName: folder,
    cleanTempDir: 'always',
    ignorePatterns: ['/*', '!/api', '!/shared', '!/sync', '!/scripts', '!/package.json', '!/tsconfig.json'],
    // Both options would rewrite files with TypeScript's former API; they are not needed, since Vitest only strips types.
    disableTypeChecks: false,
    tsconfigFile: 'none',
    reporters: ['clear-text', 'progress-append-only', 'html'],
    clearTextReporter: { logTests: false, reportTests: false, skipFull: true },
    htmlReporter: { fileName: `${RESULTS_FOLDER}/${name}.html` },
    thresholds: { high: 95, low: SCORE_MIN, break: SCORE_MIN },
  });
  try {
    await stryker.runMutationTest();
  } finally {
    process.env.TMPDIR = originalTmpdir;
  }
}
