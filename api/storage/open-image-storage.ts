import { join } from 'node:path';
import type { Env } from '#api/env.ts';
import { createFolderStorage } from './folder-storage.ts';
import type { ImageStorage } from './image-storage.ts';

/** The folders of images in `dataDir`: `uploads` has published files, `incoming` unfinished ones. */
export function imageFolders(dataDir: string) {
  return { published: join(dataDir, 'uploads'), incoming: join(dataDir, 'incoming') };
}

/** The storage of images that the configuration asks for. */
export function openImageStorage({ dataDir }: Pick<Env, 'dataDir'>): Promise<ImageStorage> {
  return createFolderStorage(imageFolders(dataDir));
}
