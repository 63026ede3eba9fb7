import { join } from 'node:path';
import type { Env } from '#api/env.ts';
import { createFallbackStorage } from './fallback-storage.ts';
import { createFolderStorage } from './folder-storage.ts';
import type { ImageStorage } from './image-storage.ts';
import { createS3Storage } from './s3-storage.ts';
import type { S3Settings } from './s3-variables.ts';

/** The folders of images in `dataDir`: `uploads` has published files, `incoming` unfinished files. */
export function imageFolders(dataDir: string) {
  return { published: join(dataDir, 'uploads'), incoming: join(dataDir, 'incoming') };
}

/**
 * The storage of images that is configured. With a bucket it is bucket and folder as one, so that images that are not moved yet are
 * served, too.
 */
export async function openImageStorage({
  dataDir,
  s3,
  imageStorage,
}: Pick<Env, 'dataDir' | 's3' | 'imageStorage'>): Promise<ImageStorage> {
  if (s3 === null) return createFolderStorage(imageFolders(dataDir));
  const { into, from } = await openBothStorages({ dataDir, s3, imageStorage });
  return createFallbackStorage(into, from);
}

/** The storage where new images are stored, `into`, and the other storage, `from`. */
export async function openBothStorages({
  dataDir,
  s3,
  imageStorage,
}: Pick<Env, 'dataDir' | 'imageStorage'> & { s3: S3Settings }): Promise<
  Record<'into' | 'from', ImageStorage>
> {
  const folder = await createFolderStorage(imageFolders(dataDir));
  const bucket = createS3Storage(s3);
  return imageStorage === 's3' ? { into: bucket, from: folder } : { into: folder, from: bucket };
}
