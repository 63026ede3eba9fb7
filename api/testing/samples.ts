import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';

/** Creates the folder where all tests of a run keep encoded illustrations; the returned function removes it. */
export async function provideSamples(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'this-or-that-samples-'));
  project.provide('samplesDataDir', folder);
  return () => rm(folder, { recursive: true, force: true });
}
