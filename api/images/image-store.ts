import { randomBytes } from 'node:crypto';
import type { Handle } from '#api/db/client.ts';
import { settleAll } from '#api/storage/durable-files.ts';
import type { ImageStorage } from '#api/storage/image-storage.ts';
import type { OpenImage } from '#api/storage/open-image.ts';
import { IMAGE_PATH_PREFIX } from '#shared/polls/constants.ts';

const NAME_PATTERN = /^[0-9a-f]{32}\.webp$/;
const SMALL_SUFFIX = '-480.webp';
/** The pattern of the path of a stored image, for PostgreSQL. */
export const IMAGE_PATH_PATTERN = /^\/uploads\/[0-9a-f]{32}\.webp$/.source;
const BUFFERED_IMAGES_MAX = 2;

/** The id, an arbitrary number, of the advisory lock that transactions share while they publish images. The sweep waits for it. */
export const PUBLISH_LOCK_ID = 7_041_516;

/** Images that are stored and that nothing refers to yet. */
export type StagedImages = {
  /** The path of each image, as stored in a poll: `/uploads/<name>.webp`. */
  paths: string[];
  /** Makes the images readable. Call it in the transaction that stores the paths, whose end the sweep then waits for. */
  publish(tx: Handle): Promise<void>;
  /** Removes every file, published or not. To be called when the transaction was not committed. */
  discard(): Promise<void>;
};

type ImageSize = 'large' | 'small';

/** The paths of the two sizes of an image on the disk. */
export type ImageFiles = Record<ImageSize, string>;

/** The two sizes of an image to store: their bytes, or the paths of files to copy. */
type ImageSource = Record<ImageSize, Buffer | string>;

export type ImageStore = ReturnType<typeof createImageStore>;

/** The two file names of an image's name (`<hex>.webp`). */
export function fileNames(name: string): [large: string, small: string] {
  return [name, name.replace('.webp', SMALL_SUFFIX)];
}

/** The name of the image that a file belongs to; null for other files. */
export function nameOfFile(file: string): string | null {
  const name = file.endsWith(SMALL_SUFFIX) ? file.replace(SMALL_SUFFIX, '.webp') : file;
  return NAME_PATTERN.test(name) ? name : null;
}

/** The name of an image by its path, as stored in polls; null for any other path, such as a placeholder's. */
export function nameOfPath(path: string): string | null {
  const name = path.startsWith(IMAGE_PATH_PREFIX) ? path.slice(IMAGE_PATH_PREFIX.length) : '';
  return NAME_PATTERN.test(name) ? name : null;
}

function fileOf(name: string, size: ImageSize): string {
  return fileNames(name)[size === 'small' ? 1 : 0];
}

/** The images of polls, in two sizes each, in `storage`. Calls throw the errors of the storage. */
export function createImageStore(storage: ImageStorage, incomingFolder: string) {
  return {
    storage,
    /** The folder of uploads until they are decoded, and of new files until they are in place. */
    incomingFolder,

    /**
     * Stores both sizes of each image under new random names; at most two images are in memory at a time. `folder`: see
     * `ImageStorage`.
     */
    async stage(
      images: Iterable<ImageSource> | AsyncIterable<ImageSource>,
      folder?: string,
    ): Promise<StagedImages> {
      const paths: string[] = [];
      const staged = storage.stage(folder);
      const pendingWrites: Promise<unknown>[] = [];
      try {
        for await (const image of images) {
          const name = `${randomBytes(16).toString('hex')}.webp`;
          const [large, small] = fileNames(name);
          paths.push(`${IMAGE_PATH_PREFIX}${name}`);
          const writing = settleAll([staged.add(large, image.large), staged.add(small, image.small)]);
          // The work is awaited later. Until then a rejection must not count as unhandled.
          writing.catch(() => {});
          pendingWrites.push(writing);
          if (pendingWrites.length === BUFFERED_IMAGES_MAX) await pendingWrites.shift();
        }
        await settleAll(pendingWrites);
      } catch (error) {
        await Promise.allSettled(pendingWrites);
        await staged.discard();
        throw error;
      }
      return {
        paths,
        async publish({ sql }) {
          // The builder has no advisory locks.
          await sql`select pg_advisory_xact_lock_shared(${PUBLISH_LOCK_ID})`;
          await staged.publish();
        },
        discard: staged.discard,
      };
    },

    /** Whether the image of this path is stored, in its large size. */
    async holds(path: string): Promise<boolean> {
      const name = nameOfPath(path);
      return name !== null && storage.exists(name);
    },

    /** Removes the files of these paths, as stored in polls; other paths are ignored. */
    async remove(paths: readonly string[]): Promise<void> {
      const names = paths.map(nameOfPath).filter((name) => name !== null);
      await storage.remove(names.flatMap(fileNames));
    },

    /** Replaces the small size of an image (`<32 hex digits>.webp`). */
    replaceSmall(name: string, bytes: Buffer): Promise<void> {
      return storage.replace(fileOf(name, 'small'), bytes);
    },

    /** Opens an image (`<32 hex digits>.webp`); null when there is none of that name. */
    async open(name: string, size: ImageSize): Promise<OpenImage | null> {
      return NAME_PATTERN.test(name) ? storage.open(fileOf(name, size)) : null;
    },

    /** All bytes of an image; null when there is none of that name. */
    async read(name: string, size: ImageSize): Promise<Buffer | null> {
      return NAME_PATTERN.test(name) ? storage.read(fileOf(name, size)) : null;
    },
  };
}
