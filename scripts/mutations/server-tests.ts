import { defineConfig } from 'vitest/config';

const TIMEOUT_MS = 20_000;

/** What Stryker runs against mutants of the server's keyed changes: their tests, on PostgreSQL. */
export default defineConfig({
  test: {
    include: [
      'api/features/polls/*.test.ts',
      'api/features/live/messages.test.ts',
      'api/middleware/expected-epoch.test.ts',
    ],
    exclude: ['api/features/polls/read-*.test.ts'],
    environment: 'node',
    isolate: false,
    globalSetup: './api/testing/global-postgres.ts',
    testTimeout: TIMEOUT_MS,
    hookTimeout: TIMEOUT_MS,
  },
});
