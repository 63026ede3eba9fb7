import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

const ROOT = join(import.meta.dirname, '..', '..');

/** One file at a time, so that tests do not compete for the machine. */
const project = (name: string, globalSetup: string) => ({
  test: {
    name,
    root: ROOT,
    include: ['e2e/hard/*.test.ts'],
    environment: 'node' as const,
    pool: 'forks' as const,
    fileParallelism: false,
    globalSetup,
  },
});

export default defineConfig({
  test: {
    root: ROOT,
    maxWorkers: 1,
    projects: [
      project('embedded', './api/testing/servers/global-embedded.ts'),
      project('postgres', './api/testing/servers/global-postgres.ts'),
    ],
  },
});
