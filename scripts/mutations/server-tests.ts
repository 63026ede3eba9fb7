import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const TIMEOUT_MS = 20_000;

/**
 * Runs `*.postgres.test.ts` last, since they wait for timeouts: the first failing test ends a run, and faster tests detect most
 * mutants.
 */
class SlowestLast extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isSlow = ({ moduleId }: TestSpecification) => moduleId.endsWith('.postgres.test.ts');
    return [...files.filter((file) => !isSlow(file)), ...files.filter(isSlow)];
  }
}

/** The tests that Stryker runs for mutants of the server's idempotent changes, on PostgreSQL. */
export default defineConfig({
  test: {
    include: [
      'api/db/batcher.test.ts',
      'api/polls/{,creating/,voting/}*.test.ts',
      'api/http/batch.test.ts',
      'api/live/messages.test.ts',
      'api/http/session/expected-epoch.test.ts',
    ],
    exclude: ['api/polls/read-*.test.ts'],
    environment: 'node',
    setupFiles: ['./scripts/run/wait-longer.ts'],
    env: { WAIT_TIMEOUT_MS: '5000' },
    expect: { poll: { timeout: 5_000 } },
    isolate: false,
    sequence: { sequencer: SlowestLast },
    globalSetup: './api/testing/servers/global-postgres.ts',
    testTimeout: TIMEOUT_MS,
    hookTimeout: TIMEOUT_MS,
  },
});
