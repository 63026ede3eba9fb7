import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

const ROOT = join(import.meta.dirname, '..', '..');

/** One file at a time, so that tests do not compete for the machine. */
export default defineConfig({
  test: {
    root: ROOT,
    include: ['e2e/cluster/*.test.ts'],
    environment: 'node',
    pool: 'forks',
    maxWorkers: 1,
    fileParallelism: false,
  },
});
