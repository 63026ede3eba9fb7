import { defineConfig } from 'vitest/config';

/** What Stryker runs against mutants of the sync engine: the tests beside it, and nothing slower. */
export default defineConfig({
  test: {
    include: ['sync/**/*.test.ts'],
    environment: 'node',
    // Dexie looks for IndexedDB once, when the first file loads it. The waits are long enough for a busy machine; many
    // mutants are only noticed once a wait has been in vain.
    setupFiles: ['fake-indexeddb/auto', './scripts/run/wait-longer.ts'],
    env: { WAIT_LIMIT_MS: '5000' },
    expect: { poll: { timeout: 5_000 } },
    // Stryker starts a new worker for each mutant; within it the files share their modules, which saves a third.
    isolate: false,
    testTimeout: 30_000,
  },
});
