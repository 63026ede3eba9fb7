import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

const ROOT = join(import.meta.dirname, '..', '..');

/** One file at a time: each test has the machine, as far as others leave it. */
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
