import { randomBytes } from 'node:crypto';
import { mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Handle } from '#api/db/client.ts';
import type { ProcessedPicture } from './image-pipeline.ts';

const NAME_PATTERN = /^[0-9a-f]{32}\.webp$/;
const SMALL_SUFFIX = '-480.webp';
export const IMAGE_PATH_PREFIX = '/uploads/';

/** Held (shared) by each transaction that publishes pictures; the sweep waits until none is under way. */
export const PUBLISH_LOCK_ID = 7_041_516;

/** Pictures that are safely on the disk and that nothing refers to yet. */
export type StagedImages = {
  /** One path a picture, in order, as stored in a poll: `/uploads/<name>.webp`. */
  paths: string[];
  /** Puts the files in place. To be called in the transaction that stores the paths. */
  publish(tx: Handle): Promise<void>;
  /** Removes every file, published or not. For when the transaction did not commit. */
  discard(): Promise<void>;
};

export type ImageStore = {
  /** Where the published files are. */
  uploadsFolder: string;
  /** Where uploads and new files stand until they are published. Same file system as `uploadsFolder`. */
  incomingFolder: string;
  /** Writes both sizes of each picture under new random names and waits until they are on the disk. */
  stage(pictures: readonly ProcessedPicture[]): Promise<StagedImages>;
  /** The WebP bytes of a published file (`<32 hex digits>.webp`), null when there is none of that name. */
  read(name: string, size: 'large' | 'small'): Promise<Buffer<ArrayBuffer> | null>;
};

/** The two file names of a picture's name (`<hex>.webp`). */
export function fileNames(name: string): [large: string, small: string] {
  return [name, name.replace('.webp', SMALL_SUFFIX)];
}

/** The picture's name that a file on the disk belongs to, null when the file is none of ours. */
export function nameOfFile(file: string): string | null {
  const name = file.endsWith(SMALL_SUFFIX) ? file.replace(SMALL_SUFFIX, '.webp') : file;
  return NAME_PATTERN.test(name) ? name : null;
}

async function writeDurably(path: string, bytes: Buffer): Promise<void> {
  const file = await open(path, 'wx');
  try {
    await file.writeFile(bytes);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Without this a crash could forget the new names. Windows can neither do nor does it need it. */
async function syncFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return;
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

/** The pictures of the polls in `dataDir`: `uploads` for what is published, `incoming` for what is not yet. */
export async function createImageStore(dataDir: string): Promise<ImageStore> {
  const uploadsFolder = join(dataDir, 'uploads');
  const incomingFolder = join(dataDir, 'incoming');
  await mkdir(uploadsFolder, { recursive: true });
  await mkdir(incomingFolder, { recursive: true });

  async function removeFiles(files: readonly string[]): Promise<void> {
    const targets = files.flatMap((file) => [join(uploadsFolder, file), join(incomingFolder, file)]);
    await Promise.all(targets.map((path) => rm(path, { force: true })));
  }

  return {
    uploadsFolder,
    incomingFolder,

    async stage(pictures) {
      const named = pictures.map((picture) => ({
        picture,
        name: `${randomBytes(16).toString('hex')}.webp`,
      }));
      const files = named.flatMap(({ name }) => fileNames(name));
      const discard = () => removeFiles(files);
      const writes = named.flatMap(({ picture, name }) => {
        const [large, small] = fileNames(name);
        return [
          writeDurably(join(incomingFolder, large), picture.large),
          writeDurably(join(incomingFolder, small), picture.small),
        ];
      });
      const failed = (await Promise.allSettled(writes)).find((write) => write.status === 'rejected');
      if (failed !== undefined) {
        await discard();
        throw failed.reason;
      }
      return {
        paths: named.map(({ name }) => `${IMAGE_PATH_PREFIX}${name}`),
        async publish(tx) {
          await tx.sql`select pg_advisory_xact_lock_shared(${PUBLISH_LOCK_ID})`;
          for (const file of files) await rename(join(incomingFolder, file), join(uploadsFolder, file));
          await syncFolder(uploadsFolder);
        },
        discard,
      };
    },

    async read(name, size) {
      if (!NAME_PATTERN.test(name)) return null;
      const [large, small] = fileNames(name);
      try {
        return await readFile(join(uploadsFolder, size === 'small' ? small : large));
      } catch (error) {
        if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
        throw error;
      }
    },
  };
}
