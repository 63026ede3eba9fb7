import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { keepTemporaryFilesInMemory } from '#scripts/run/memory-folder.ts';

keepTemporaryFilesInMemory();

/** For a loaded machine with two cores; a test that hangs is still told soon. */
const TEST_TIMEOUT_MS = 20_000;

/** The files that take longest begin first: at the end one of them would keep a core waiting for the other. */
const LONGEST = [
  'e2e/faults/histories.test.ts',
  'api/db/durability.test.ts',
  'api/server.test.ts',
  'api/start-error.test.ts',
  'api/renew-epoch.test.ts',
  'api/jobs/job-durability.test.ts',
  'api/images/routes.test.ts',
  'api/data-folders.test.ts',
];

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isLong = ({ moduleId }: TestSpecification) => LONGEST.some((file) => moduleId.endsWith(file));
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}

/** Those of the api's tests without a database that take more than half a second: one of its projects has them. */
const WITHOUT_DATABASE = [
  'api/http/server/{http-server,lingering-close,serialize-requests}.test.ts',
  'api/images/{decode-error,image-form,image-pipeline,move-images}.test.ts',
  'api/mail/mail-transit.test.ts',
  'api/passwords/password-pool.test.ts',
  'api/storage/image-storage.test.ts',
  'api/db/batcher.test.ts',
];

/** Each test waits long enough for what it waits for. */
const patient = { setupFiles: ['./scripts/run/wait-longer.ts'], expect: { poll: { timeout: 15_000 } } };

const apiProject = {
  ...patient,
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
    // One more than a small machine has cores: tests wait for databases, processes and time.
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        test: {
          ...patient,
          name: 'unit',
          include: ['shared/**/*.test.ts', 'sync/**/*.test.ts', 'scripts/**/*.test.ts'],
          // Dexie looks for IndexedDB once, when the first file of a process loads it.
          setupFiles: ['fake-indexeddb/auto', ...patient.setupFiles],
          environment: 'node',
          testTimeout: TEST_TIMEOUT_MS,
          // A process for each file took two thirds of their time.
          isolate: false,
        },
      },
      {
        test: {
          ...patient,
          // In processes of their own: they replace modules and reset them.
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
          // What only a server does: time limits, connections that break, several processes.
          exclude: ['api/**/*.postgres.test.ts'],
        },
      },
      {
        test: {
          ...apiProject,
          name: 'api-postgres',
          globalSetup: './api/testing/servers/global-postgres.ts',
          // Starts that fail before the database matters, or because of the embedded one.
          exclude: ['api/start-error.test.ts', ...WITHOUT_DATABASE],
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
