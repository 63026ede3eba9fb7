import { sweepImages, sweepIncoming } from '#api/housekeeping/image-sweep.ts';
import { fileNames, IMAGE_PATH_PREFIX } from '#api/images/image-store.ts';
import { damagedImages, storedFiles, uploadsFolder } from '#api/testing/invariants.ts';
import type { World } from './world.ts';

/** Describes each image file, published or not, that no poll references. */
export async function orphanedFiles({ test: { db, deps } }: World): Promise<string[]> {
  const stored = [
    ...(await storedFiles(uploadsFolder(deps))),
    ...(await storedFiles(deps.images.incomingFolder)),
  ];
  const paths = await db.sql<{ path: string }[]>`
    select option1_image as path from polls union select option2_image from polls`;
  const referenced = new Set(paths.flatMap(({ path }) => fileNames(path.slice(IMAGE_PATH_PREFIX.length))));
  return stored.filter((file) => !referenced.has(file)).map((file) => `${file} belongs to no poll`);
}

/** The paths of images of polls that are missing or cannot be decoded, not counting placeholders. */
export async function missingImages({ test: { db, deps } }: World): Promise<string[]> {
  const damaged = await damagedImages(db, uploadsFolder(deps));
  return damaged.filter((path) => path.startsWith(IMAGE_PATH_PREFIX));
}

/** Runs the server's sweeps of image files without their minimum age. */
export async function sweepFiles({ test: { db, deps } }: World): Promise<void> {
  await sweepIncoming(deps.images.incomingFolder, 0);
  await sweepImages(deps.images.storage, db);
}
