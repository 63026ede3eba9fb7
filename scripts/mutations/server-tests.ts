import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const TIMEOUT_MS = 20_000;

/** What waits for time limits runs last: most mutants are noticed by something quicker, which ends the run. */
class WaitingLast extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isWaiting = ({ moduleId }: TestSpecification) => moduleId.endsWith('.postgres.test.ts');
    return [...files.filter((file) => !isWaiting(file)), ...files.filter(isWaiting)];
  }
}

/** What Stryker runs against mutants of the server's keyed changes: their tests, on PostgreSQL. */
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
    env: { WAIT_LIMIT_MS: '5000' },
    expect: { poll: { timeout: 5_000 } },
    isolate: false,
    sequence: { sequencer: WaitingLast },
    globalSetup: './api/testing/servers/global-postgres.ts',
    testTimeout: TIMEOUT_MS,
    hookTimeout: TIMEOUT_MS,
  },
});
