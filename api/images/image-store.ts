import { randomBytes } from 'node:crypto';
import { access, mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Handle } from '#api/db/client.ts';
import {
  isNotFound,
  linkOrCopy,
  replaceDurably,
  settleAll,
  syncFolder,
  writeDurably,
} from './durable-files.ts';
import type { ProcessedImage } from './image-pipeline.ts';
import { type OpenImage, openImage } from './open-image.ts';

const NAME_PATTERN = /^[0-9a-f]{32}\.webp$/;
const SMALL_SUFFIX = '-480.webp';
export const IMAGE_PATH_PREFIX = '/uploads/';
/** Matches the path of a stored image, in JavaScript and in PostgreSQL. */
export const IMAGE_PATH_PATTERN = /^\/uploads\/[0-9a-f]{32}\.webp$/.source;
const BUFFERED_MAX = 2;

/** Held (shared) by each transaction that publishes images; the sweep waits for them. */
export const PUBLISH_LOCK_ID = 7_041_516;

/** Images that are on the disk and that nothing refers to yet. */
export type StagedImages = {
  /** The path of each image, as stored in a poll: `/uploads/<name>.webp`. */
  paths: string[];
  /** Moves the files into place. To be called in the transaction that stores the paths. */
  publish(tx: Handle): Promise<void>;
  /** Removes every file, published or not: when the transaction did not commit. */
  discard(): Promise<void>;
};

/** The paths of the two sizes of an image. */
export type ImageFiles = { large: string; small: string };

export type ImageStore = Awaited<ReturnType<typeof createImageStore>>;

/** The two file names of an image's name (`<hex>.webp`). */
export function fileNames(name: string): [large: string, small: string] {
  return [name, name.replace('.webp', SMALL_SUFFIX)];
}

/** The name of the image that a file belongs to; null for other files. */
export function nameOfFile(file: string): string | null {
  const name = file.endsWith(SMALL_SUFFIX) ? file.replace(SMALL_SUFFIX, '.webp') : file;
  return NAME_PATTERN.test(name) ? name : null;
}

const newName = () => `${randomBytes(16).toString('hex')}.webp`;
const toPath = (name: string) => `${IMAGE_PATH_PREFIX}${name}`;

/** The image store in `dataDir`: `uploads` has published files, `incoming` unpublished ones. */
export async function createImageStore(dataDir: string) {
  const uploadsFolder = join(dataDir, 'uploads');
  const incomingFolder = join(dataDir, 'incoming');
  await mkdir(uploadsFolder, { recursive: true });
  await mkdir(incomingFolder, { recursive: true });

  async function removeFiles(files: readonly string[], stagedIn = incomingFolder): Promise<void> {
    const targets = files.flatMap((file) => [join(uploadsFolder, file), join(stagedIn, file)]);
    await Promise.all(targets.map((path) => rm(path, { force: true })));
  }

  async function publish({ sql }: Handle, put: () => Promise<unknown>): Promise<void> {
    // The builder has no advisory locks.
    await sql`select pg_advisory_xact_lock_shared(${PUBLISH_LOCK_ID})`;
    await put();
    await syncFolder(uploadsFolder);
  }

  return {
    /** The folder of the published files. */
    uploadsFolder,
    /** The folder of uploads and new files until they are published; on the same file system as `uploadsFolder`. */
    incomingFolder,

    /**
     * Writes both sizes of each image under new random names and waits until they are on the disk; at most two images
     * are in memory at a time. `folder` must be on the same file system as `incomingFolder`.
     */
    async stage(
      images: Iterable<ProcessedImage> | AsyncIterable<ProcessedImage>,
      folder = incomingFolder,
    ): Promise<StagedImages> {
      const names: string[] = [];
      const files: string[] = [];
      const discard = () => removeFiles(files, folder);
      const underWay: Promise<unknown>[] = [];
      try {
        for await (const image of images) {
          const name = newName();
          const [large, small] = fileNames(name);
          names.push(name);
          files.push(large, small);
          const writing = settleAll([
            writeDurably(join(folder, large), image.large),
            writeDurably(join(folder, small), image.small),
          ]);
          // Awaited later: a rejection before that is not unhandled.
          writing.catch(() => {});
          underWay.push(writing);
          if (underWay.length === BUFFERED_MAX) await underWay.shift();
        }
        await settleAll(underWay);
      } catch (error) {
        await Promise.allSettled(underWay);
        await discard();
        throw error;
      }
      return {
        paths: names.map(toPath),
        publish: (tx) =>
          publish(tx, async () => {
            for (const file of files) await rename(join(folder, file), join(uploadsFolder, file));
          }),
        discard,
      };
    },

    /** Stages copies of existing files: hard links (or copies) made when they are published. */
    stageCopies(originals: readonly ImageFiles[]): StagedImages {
      const copies = originals.map((original) => ({ original, name: newName() }));
      return {
        paths: copies.map(({ name }) => toPath(name)),
        publish: (tx) =>
          publish(tx, () =>
            settleAll(
              copies.flatMap(({ original, name }) => {
                const [large, small] = fileNames(name);
                return [
                  linkOrCopy(original.large, join(uploadsFolder, large)),
                  linkOrCopy(original.small, join(uploadsFolder, small)),
                ];
              }),
            ),
          ),
        discard: () => removeFiles(copies.flatMap(({ name }) => fileNames(name))),
      };
    },

    /** Whether the large size of a path exists. Throws other system errors. */
    async holds(path: string): Promise<boolean> {
      try {
        await access(join(uploadsFolder, path.slice(IMAGE_PATH_PREFIX.length)));
        return true;
      } catch (error) {
        if (isNotFound(error)) return false;
        throw error;
      }
    },

    /** Removes the published files of these paths, as stored in polls; other paths are ignored. */
    async remove(paths: readonly string[]): Promise<void> {
      const names = paths.map((path) => path.slice(IMAGE_PATH_PREFIX.length));
      await removeFiles(names.filter((name) => NAME_PATTERN.test(name)).flatMap(fileNames));
    },

    /** Replaces the small size of a published image (`<32 hex digits>.webp`). */
    async replaceSmall(name: string, bytes: Buffer): Promise<void> {
      const [, small] = fileNames(name);
      await replaceDurably(join(uploadsFolder, small), bytes, incomingFolder);
      await syncFolder(uploadsFolder);
    },

    /** Opens a published image (`<32 hex digits>.webp`); null when there is none of that name. */
    async open(name: string, size: 'large' | 'small'): Promise<OpenImage | null> {
      if (!NAME_PATTERN.test(name)) return null;
      const [large, small] = fileNames(name);
      return openImage(join(uploadsFolder, size === 'small' ? small : large));
    },
  };
}
