import { inBatches } from '#api/storage/durable-files.ts';
import type { ImageStorage } from '#api/storage/image-storage.ts';
import { nameOfFile } from './image-store.ts';

const CONCURRENT_FILES = 8;

/** The progress of a move, in files, and in bytes moved so far. */
export type MoveProgress = { done: number; total: number; bytes: number };

type Move = {
  from: ImageStorage;
  into: ImageStorage;
  /** Called after each file. */
  onProgress(progress: MoveProgress): void;
};

/**
 * Moves all files of images. Each is copied, compared and deleted, so that a move can end at any point and be repeated. Servers
 * may keep running if they read both storages and write into `into`. Returns the number of files, including those that were moved
 * or deleted by others meanwhile. Throws the errors of the storages, and an error when a copy differs from its original.
 */
export async function moveImages({ from, into, onProgress }: Move): Promise<number> {
  const files: string[] = [];
  for await (const file of from.list()) if (nameOfFile(file) !== null) files.push(file);
  const progress = { done: 0, total: files.length, bytes: 0 };
  const move = async (file: string) => {
    const bytes = await moveFile(file, from, into);
    progress.bytes += bytes;
    progress.done += 1;
    onProgress({ ...progress });
  };
  await inBatches(files, move, CONCURRENT_FILES);
  return files.length;
}

/** Returns the size of the file; 0 if it no longer exists. */
async function moveFile(file: string, from: ImageStorage, into: ImageStorage): Promise<number> {
  const bytes = await from.read(file);
  if (bytes === null) return 0;
  const isSame = async () => (await into.read(file))?.equals(bytes) ?? false;
  if (!(await isSame())) {
    await into.replace(file, bytes);
    if (!(await isSame())) throw new Error(`The copy of ${file} differs from its original`);
  }
  // If the original no longer exists, another move may have moved it, so the copy is kept. If its poll was deleted instead, the
  // copy is an orphan.
  await from.remove([file]);
  return bytes.length;
}
