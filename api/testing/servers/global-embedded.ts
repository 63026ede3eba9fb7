import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { openEmbedded } from '#api/db/client.ts';
import { migrateEmbedded } from '#api/db/migrate.ts';
import { provideSamples } from '#api/testing/samples.ts';

/** Creates one migrated data folder, of which tests use copies; the copies beside it are removed with it. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'this-or-that-embedded-'));
  const templateFolder = join(folder, 'template');
  const db = await openEmbedded(templateFolder, (error) => {
    throw error;
  });
  await migrateEmbedded(db);
  await db.close();
  project.provide('testDatabase', { kind: 'embedded', templateFolder });
  const removeSamples = await provideSamples(project);
  return async () => {
    await removeSamples();
    await rm(folder, { recursive: true, force: true });
  };
}
