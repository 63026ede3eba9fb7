import { defineConfig } from 'vitest/config';

const TIMEOUT_MS = 20_000;

/** What Stryker runs against mutants of the server's keyed changes: their tests, on PostgreSQL. */
export default defineConfig({
  test: {
    include: ['api/features/polls/{cast-vote,create-poll,in-flight}*.test.ts'],
    environment: 'node',
    isolate: false,
    globalSetup: './api/testing/global-postgres.ts',
    testTimeout: TIMEOUT_MS,
    hookTimeout: TIMEOUT_MS,
  },
});
