import { access, mkdir, opendir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import {
  ifMissing,
  inBatches,
  linkOrCopy,
  replaceAtomically,
  settleAll,
  syncFolder,
  writeFlushed,
} from './durable-files.ts';
import type { ImageStorage, StagedFiles } from './image-storage.ts';
import { openImage } from './open-image.ts';

type Folders = {
  /** For published files. */
  published: string;
  /** For unfinished files, on the same file system. */
  incoming: string;
};

/** Keeps images as files in a folder. Throws system errors. */
export async function createFolderStorage({ published, incoming }: Folders): Promise<ImageStorage> {
  await mkdir(published, { recursive: true });
  await mkdir(incoming, { recursive: true });
  const pathOf = (file: string) => join(published, file);

  const removeAll = (paths: readonly string[]) => inBatches(paths, (path) => rm(path, { force: true }));

  // All files in this folder are published. `opendir` reads a large folder in parts, between which other work can run.
  async function* listPublished() {
    for await (const { name } of await opendir(published)) yield name;
  }

  return {
    stage(folder = incoming): StagedFiles {
      const written: string[] = [];
      const linked: { file: string; original: string }[] = [];
      return {
        async add(file, content) {
          // Linked only when it is published: a link has the age of its original, so the sweep of unfinished files might
          // remove it.
          if (typeof content === 'string') linked.push({ file, original: content });
          else {
            written.push(file);
            await writeFlushed(join(folder, file), content);
          }
        },
        async publish() {
          for (const file of written) await rename(join(folder, file), pathOf(file));
          await settleAll(linked.map(({ file, original }) => linkOrCopy(original, pathOf(file))));
          await syncFolder(published);
        },
        // What cannot be removed is left to the sweep.
        discard: () =>
          removeAll([
            ...written.flatMap((file) => [pathOf(file), join(folder, file)]),
            ...linked.map(({ file }) => pathOf(file)),
          ]).catch(() => {}),
      };
    },

    open: (file) => openImage(pathOf(file)),

    read: (file) => readFile(pathOf(file)).catch(ifMissing(null)),

    exists: (file) => access(pathOf(file)).then(() => true, ifMissing(false)),

    async replace(file, bytes) {
      await replaceAtomically(pathOf(file), bytes, incoming);
      await syncFolder(published);
    },

    remove: (files) => removeAll(files.map(pathOf)),

    list: listPublished,
    listPublished,

    async *sizes() {
      const counted = new Set<bigint>();
      for await (const entry of await opendir(published)) {
        if (!entry.isFile()) continue;
        // A file that was removed in the meantime counts as empty.
        const file = await stat(pathOf(entry.name), { bigint: true }).catch(() => null);
        if (file === null || counted.has(file.ino)) continue;
        // A file with one link cannot come up again. Further links are in this folder (sample polls share files) or in a backup.
        if (file.nlink > 1n) counted.add(file.ino);
        yield Number(file.size);
      }
    },
  };
}
