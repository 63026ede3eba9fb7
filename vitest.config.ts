import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { COMPILE_CACHE } from '#scripts/run/compile-cache.ts';
import { keepTemporaryFilesInMemory } from '#scripts/run/memory-folder.ts';

keepTemporaryFilesInMemory();
Object.assign(process.env, COMPILE_CACHE);

/** Long enough for a busy machine with two cores, short enough to report a hanging test soon. */
const TEST_TIMEOUT_MS = 20_000;

/** These files take longest and start first: a slow file that starts last would leave the other workers idle. */
const SLOWEST_FILES = [
  'e2e/faults/histories.test.ts',
  'api/db/durability.test.ts',
  'api/server.test.ts',
  'api/start-error.test.ts',
  'api/renew-epoch.test.ts',
  'api/jobs/job-durability.test.ts',
  'api/images/routes.test.ts',
  'api/data-folders.test.ts',
];

class SlowestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isSlow = ({ moduleId }: TestSpecification) => SLOWEST_FILES.some((file) => moduleId.endsWith(file));
    return [...sorted.filter(isSlow), ...sorted.filter((file) => !isSlow(file))];
  }
}

/** Tests of api/ that use no database and take more than half a second: only one of the two api projects runs them. */
const WITHOUT_DATABASE = [
  'api/http/server/{http-server,lingering-close,serialize-requests}.test.ts',
  'api/images/{decode-error,image-form,image-pipeline,move-images}.test.ts',
  'api/mail/mail-transport-tls.test.ts',
  'api/passwords/password-pool.test.ts',
  'api/storage/image-storage.test.ts',
  'api/db/batcher.test.ts',
];

/** Longer timeouts for `vi.waitFor` and `expect.poll`. */
const longWaits = { setupFiles: ['./scripts/run/wait-longer.ts'], expect: { poll: { timeout: 15_000 } } };

const apiProject = {
  ...longWaits,
  include: ['api/**/*.test.ts'],
  environment: 'node' as const,
  testTimeout: TEST_TIMEOUT_MS,
  hookTimeout: TEST_TIMEOUT_MS,
  pool: 'forks' as const,
  // With fast-start.ts, importing Drizzle takes half a second less.
  execArgv: [`--import=${import.meta.resolve('#api/testing/servers/fast-start.ts')}`],
  // Test files share modules, in which they keep no state: importing everything again for each file took most of the time.
  isolate: false,
};

export default defineConfig({
  test: {
    // One more than the cores of a small machine, since tests often wait for databases, processes and timers.
    maxWorkers: 3,
    sequence: { sequencer: SlowestFirst },
    projects: [
      {
        test: {
          ...longWaits,
          name: 'unit',
          include: ['shared/**/*.test.ts', 'sync/**/*.test.ts', 'scripts/**/*.test.ts'],
          // Dexie looks up `indexedDB` only once, when the first file of a process loads it.
          setupFiles: ['fake-indexeddb/auto', ...longWaits.setupFiles],
          environment: 'node',
          testTimeout: TEST_TIMEOUT_MS,
          // Starting a process for each file took two thirds of the time.
          isolate: false,
        },
      },
      {
        test: {
          ...longWaits,
          // Isolated, since these tests mock and reset modules.
          name: 'app',
          include: ['app/**/*.test.{ts,tsx}'],
          environment: 'node',
          testTimeout: TEST_TIMEOUT_MS,
        },
      },
      {
        test: {
          ...apiProject,
          name: 'api-pglite',
          globalSetup: './api/testing/servers/global-embedded.ts',
          // Tests that need a PostgreSQL server: timeouts, broken connections, several processes.
          exclude: ['api/**/*.postgres.test.ts'],
        },
      },
      {
        test: {
          ...apiProject,
          name: 'api-postgres',
          globalSetup: './api/testing/servers/global-postgres.ts',
          // Tests that use no database or the embedded one.
          exclude: [
            'api/start-error.test.ts',
            'api/db/embedded/{embedded,maintenance,migrate-embedded}.test.ts',
            ...WITHOUT_DATABASE,
          ],
        },
      },
      {
        test: {
          ...apiProject,
          name: 'faults',
          include: ['e2e/faults/**/*.test.ts'],
          globalSetup: './api/testing/servers/global-postgres.ts',
        },
      },
    ],
  },
});
