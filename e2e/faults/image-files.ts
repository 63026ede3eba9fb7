import { sweepImages, sweepIncoming } from '#api/housekeeping/file-sweep.ts';
import * as invariants from '#api/testing/invariants.ts';
import type { World } from './world.ts';

/** The names of image files, published or not, that no poll references. */
export async function orphanedFiles({ test: { db, deps } }: World): Promise<string[]> {
  const folders = [invariants.uploadsFolder(deps), deps.images.incomingFolder];
  return (await Promise.all(folders.map((folder) => invariants.orphanedFiles(db, folder)))).flat();
}

/** The paths of images of polls that are missing or cannot be decoded, not counting placeholders. */
export function missingImages({ test: { db, deps } }: World): Promise<string[]> {
  return invariants.damagedImages(db, invariants.uploadsFolder(deps));
}

/** Runs the server's sweeps of image files without their minimum age. */
export async function sweepFiles({ test: { db, deps } }: World): Promise<void> {
  await sweepIncoming(deps.images.incomingFolder, 0);
  await sweepImages(deps.images.storage, db);
}
