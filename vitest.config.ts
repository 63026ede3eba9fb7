import { defineConfig } from 'vitest/config';

/** For a loaded machine with two cores; a test that hangs is still told soon. */
const TEST_TIMEOUT_MS = 20_000;

const apiProject = {
  include: ['api/**/*.test.ts'],
  environment: 'node' as const,
  testTimeout: TEST_TIMEOUT_MS,
  hookTimeout: TEST_TIMEOUT_MS,
  pool: 'forks' as const,
  // Files keep no state of their own in modules; importing everything anew for each took most of the time.
  isolate: false,
};

export default defineConfig({
  test: {
    maxWorkers: 2,
    projects: [
      {
        test: {
          name: 'unit',
          include: [
            'shared/**/*.test.ts',
            'sync/**/*.test.ts',
            'app/**/*.test.{ts,tsx}',
            'scripts/**/*.test.ts',
          ],
          environment: 'node',
          testTimeout: TEST_TIMEOUT_MS,
        },
      },
      {
        test: {
          ...apiProject,
          name: 'api-pglite',
          globalSetup: './api/testing/global-embedded.ts',
          // What only a server does: time limits, connections that break, several processes.
          exclude: ['api/**/*.postgres.test.ts'],
        },
      },
      { test: { ...apiProject, name: 'api-postgres', globalSetup: './api/testing/global-postgres.ts' } },
      {
        test: {
          ...apiProject,
          name: 'faults',
          include: ['e2e/faults/**/*.test.ts'],
          globalSetup: './api/testing/global-postgres.ts',
        },
      },
    ],
  },
});
