import { defineConfig } from 'vitest/config';

/** The tests that Stryker runs for mutants of the sync engine: only its unit tests, since slower tests would take too long. */
export default defineConfig({
  test: {
    include: ['sync/**/*.test.ts'],
    environment: 'node',
    // Dexie looks up `indexedDB` only once, when the first file loads it. The waits are long enough for a busy machine, but not
    // longer: many mutants are only detected when a wait times out.
    setupFiles: ['fake-indexeddb/auto', './scripts/run/wait-longer.ts'],
    env: { WAIT_TIMEOUT_MS: '5000' },
    expect: { poll: { timeout: 5_000 } },
    // Stryker starts a new worker for each mutant; sharing modules between the files of a worker saves a third of the time.
    isolate: false,
    testTimeout: 30_000,
  },
});
