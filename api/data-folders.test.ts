import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { createImageStore } from '#api/images/image-store.ts';
import { prepareDataFolders } from './data-folders.ts';

const NOBODY_UID = 65_534;
const dataDir = await mkdtemp(join(tmpdir(), 'tot-folders-'));
await createImageStore(dataDir);
afterAll(() => rm(dataDir, { recursive: true }));

/** As a user who may not write everywhere, as root may. */
async function asNobody<Result>(work: () => Promise<Result>): Promise<Result> {
  const isRoot = process.geteuid?.() === 0;
  if (isRoot) process.seteuid?.(NOBODY_UID);
  try {
    return await work();
  } finally {
    if (isRoot) process.seteuid?.(0);
  }
}

test.each(['uploads', 'incoming'])('a folder %s that cannot be written is detected', async (name) => {
  await chmod(dataDir, 0o777);
  for (const each of ['uploads', 'incoming']) await chmod(join(dataDir, each), 0o777);
  await asNobody(() => prepareDataFolders(dataDir, { isEmbedded: false, hasMails: true }));
  await chmod(join(dataDir, name), 0o555);
  await expect(
    asNobody(() => prepareDataFolders(dataDir, { isEmbedded: false, hasMails: true })),
  ).rejects.toThrow(
    `DATA_DIR cannot be written: ${join(dataDir, name)} is not ours to write (EACCES). Mend that,`,
  );
});
