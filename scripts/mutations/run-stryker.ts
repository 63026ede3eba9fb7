import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Stryker } from '@stryker-mutator/core';

/** Files to mutate, and the tests that must notice. */
type MutatedPart = {
  files: readonly string[];
  /** The Vitest configuration with the tests, from the project's folder. */
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

/** The least percentage of mutants that the tests must notice. */
const SCORE_MIN = 85;
/** On top of one and a half times what the tests take without a mutant: a busy machine is no endless loop. */
const PATIENCE_MS = 20_000;
/** Results are kept for the next run, but not in git: they hold a copy of every file and change with each. */
const RESULTS_FOLDER = 'node_modules/.cache/mutations';

/**
 * Mutates one part in a copy of the project, prints what survived and a table of scores, and writes both as HTML. When
 * too little was noticed the process will exit with 1. Unless `isForced`, mutants whose file and tests have not changed
 * since the last run are not tried again.
 */
export async function runStryker(
  name: PartName,
  { only = [], isForced = false }: { only?: readonly string[]; isForced?: boolean } = {},
): Promise<void> {
  const part: MutatedPart = MUTATED_PARTS[name];
  const usual = tmpdir();
  const folder = mkdtempSync(join(usual, 'this-or-that-mutants-'));
  // PostgreSQL may have to run as another user, who must reach its data.
  chmodSync(folder, 0o755);
  // Stryker ends test processes before they have removed their temporary files: those go with the folder.
  process.env.TMPDIR = folder;
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const stryker = new Stryker({
    mutate: only.length > 0 ? [...only] : [...part.files],
    testRunner: 'vitest',
    plugins: [import.meta.resolve('@stryker-mutator/vitest-runner')],
    vitest: { configFile: part.tests, pool: part.pool, related: false },
    mutator: {
      // Nearly every string is a member of a union, so that the type check notices another one; the others are words
      // for people, and SQL, of which an emptied text says nothing.
      excludedMutations: ['StringLiteral'],
    },
    coverageAnalysis: 'perTest',
    // Code that runs at import only, such as constants and schemas: each of these mutants would take all of the tests.
    ignoreStatic: true,
    concurrency: 2,
    timeoutMS: PATIENCE_MS,
    incremental: true,
    incrementalFile: `${RESULTS_FOLDER}/${name}.json`,
    force: isForced,
    tempDirName: folder,
    cleanTempDir: 'always',
    ignorePatterns: ['/*', '!/api', '!/shared', '!/sync', '!/scripts', '!/package.json', '!/tsconfig.json'],
    // Both would rewrite files with TypeScript's former API; Vitest only strips types.
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
    process.env.TMPDIR = usual;
  }
}
