import { defineConfig } from 'vitest/config';

/** What Stryker runs against mutants of the sync engine: the tests beside it, and nothing slower. */
export default defineConfig({
  test: {
    include: ['sync/**/*.test.ts'],
    environment: 'node',
    // Stryker starts a new worker for each mutant; within it the files share their modules, which saves a third.
    isolate: false,
    testTimeout: 10_000,
  },
});
