import { randomBytes, randomUUID } from 'node:crypto';
import { access, mkdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Handle } from '#api/db/client.ts';
import { linkOrCopy, settleAll, syncFolder, writeDurably } from './durable-files.ts';
import type { ProcessedPicture } from './image-pipeline.ts';

const NAME_PATTERN = /^[0-9a-f]{32}\.webp$/;
const SMALL_SUFFIX = '-480.webp';
export const IMAGE_PATH_PREFIX = '/uploads/';
/** Of a picture in the store, as polls have it; for the database too. */
export const IMAGE_PATH_PATTERN = /^\/uploads\/[0-9a-f]{32}\.webp$/.source;
const HELD_MAX = 2;

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

/** The two sizes of a picture as files, somewhere on the disk. */
export type ImageFiles = { large: string; small: string };

export type ImageStore = {
  /** Where the published files are. */
  uploadsFolder: string;
  /** Where uploads and new files stand until they are published. Same file system as `uploadsFolder`. */
  incomingFolder: string;
  /**
   * Writes both sizes of each picture under new random names and waits until they are on the disk. Of pictures that
   * come one by one, two are held at most. `folder`: another one on this file system than `incomingFolder`.
   */
  stage(
    pictures: Iterable<ProcessedPicture> | AsyncIterable<ProcessedPicture>,
    folder?: string,
  ): Promise<StagedImages>;
  /** New names for files that stay where they are: they are linked when they are published, or copied. */
  stageCopies(originals: readonly ImageFiles[]): StagedImages;
  /** Puts a new small size beside the large one of a published picture (`<32 hex digits>.webp`). */
  replaceSmall(name: string, bytes: Buffer): Promise<void>;
  /** Whether the large size of a path is there. Throws what the system says of other trouble. */
  holds(path: string): Promise<boolean>;
  /** Removes the published files of these paths, as stored in polls; what is not in the store is left alone. */
  remove(paths: readonly string[]): Promise<void>;
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

const newName = () => `${randomBytes(16).toString('hex')}.webp`;
const toPath = (name: string) => `${IMAGE_PATH_PREFIX}${name}`;

/** The pictures of the polls in `dataDir`: `uploads` for what is published, `incoming` for what is not yet. */
export async function createImageStore(dataDir: string): Promise<ImageStore> {
  const uploadsFolder = join(dataDir, 'uploads');
  const incomingFolder = join(dataDir, 'incoming');
  await mkdir(uploadsFolder, { recursive: true });
  await mkdir(incomingFolder, { recursive: true });

  async function removeFiles(files: readonly string[], stagedIn = incomingFolder): Promise<void> {
    const targets = files.flatMap((file) => [join(uploadsFolder, file), join(stagedIn, file)]);
    await Promise.all(targets.map((path) => rm(path, { force: true })));
  }

  async function publish({ sql }: Handle, put: () => Promise<unknown>): Promise<void> {
    // A lock of no table.
    await sql`select pg_advisory_xact_lock_shared(${PUBLISH_LOCK_ID})`;
    await put();
    await syncFolder(uploadsFolder);
  }

  return {
    uploadsFolder,
    incomingFolder,

    async stage(pictures, folder = incomingFolder) {
      const names: string[] = [];
      const files: string[] = [];
      const discard = () => removeFiles(files, folder);
      const underWay: Promise<unknown>[] = [];
      try {
        for await (const picture of pictures) {
          const name = newName();
          const [large, small] = fileNames(name);
          names.push(name);
          files.push(large, small);
          const writing = settleAll([
            writeDurably(join(folder, large), picture.large),
            writeDurably(join(folder, small), picture.small),
          ]);
          // Asked for later, when the next picture may still be in the making.
          writing.catch(() => {});
          underWay.push(writing);
          if (underWay.length === HELD_MAX) await underWay.shift();
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

    stageCopies(originals) {
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

    async holds(path) {
      try {
        await access(join(uploadsFolder, path.slice(IMAGE_PATH_PREFIX.length)));
        return true;
      } catch (error) {
        if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return false;
        throw error;
      }
    },

    async remove(paths) {
      const names = paths.map((path) => path.slice(IMAGE_PATH_PREFIX.length));
      await removeFiles(names.filter((name) => NAME_PATTERN.test(name)).flatMap(fileNames));
    },

    async replaceSmall(name, bytes) {
      const [, small] = fileNames(name);
      const written = join(incomingFolder, `${randomUUID()}.webp`);
      await writeDurably(written, bytes);
      await rename(written, join(uploadsFolder, small));
      await syncFolder(uploadsFolder);
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
