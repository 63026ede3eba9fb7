import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';

/** Makes a folder for the drawings of sample polls, for all tests of a run; the returned function removes it. */
export async function provideSamples(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'this-or-that-samples-'));
  project.provide('samplesDataDir', folder);
  return () => rm(folder, { recursive: true, force: true });
}
