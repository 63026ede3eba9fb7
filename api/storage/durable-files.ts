import { randomUUID } from 'node:crypto';
import { copyFile, link, open, rename, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The default of `inBatches`: far fewer than the files that a process may have open, usually 1,024. */
const CONCURRENT_ITEMS = 64;

/** Whether a file or folder does not exist. */
export function isNotFound(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}

/** An error handler that returns `value` when a file or folder does not exist, and throws other errors. */
export function ifMissing<Value>(value: Value): (error: unknown) => Value {
  return (error) => {
    if (isNotFound(error)) return value;
    throw error;
  };
}

/**
 * The time since a file or folder was last changed; 0 if it cannot be read, since another process may have removed it. Never
 * negative: `mtimeMs` has fractions of a millisecond that `Date.now()` lacks, and the clock of a file server may be ahead.
 */
export async function ageMsOf(path: string): Promise<number> {
  return stat(path).then(
    ({ mtimeMs }) => Math.max(0, Date.now() - mtimeMs),
    () => 0,
  );
}

/** Like `Promise.all`, but waits until everything has settled before it throws. */
export async function settleAll(work: readonly Promise<unknown>[]): Promise<void> {
  const failed = (await Promise.allSettled(work)).find((result) => result.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}

/** Runs `work` for all items, `size` of them at a time. Throws the first error of a batch once all of it has settled. */
export async function inBatches<Item>(
  items: readonly Item[],
  work: (item: Item) => Promise<void>,
  size = CONCURRENT_ITEMS,
): Promise<void> {
  for (let first = 0; first < items.length; first += size) {
    await settleAll(items.slice(first, first + size).map((item) => work(item)));
  }
}

/** Creates a file and flushes its content; its name survives a crash only after `syncFolder`. Throws when the file exists. */
export async function writeFlushed(path: string, bytes: Buffer): Promise<void> {
  await writeFile(path, bytes, { flag: 'wx', flush: true });
}

/**
 * Writes a file in `folder` (on the same file system) and moves it to `path`. If a file there has other hard links, they keep its
 * old content. After a crash `path` has either the old file or the whole new one; `syncFolder` makes sure that it is the new one.
 */
export async function replaceAtomically(path: string, bytes: Buffer, folder: string): Promise<void> {
  const temporaryPath = join(folder, randomUUID());
  await writeFlushed(temporaryPath, bytes);
  await rename(temporaryPath, path);
}

/** Hard-links a file, or copies it if the file system allows no (further) links. Throws when `from` is missing. */
export async function linkOrCopy(from: string, to: string): Promise<void> {
  try {
    await link(from, to);
  } catch (error) {
    if (isNotFound(error)) throw error;
    await copyFile(from, to);
    const file = await open(to, 'r+');
    await file.sync().finally(() => file.close());
  }
}

/** Flushes a folder, so that new names in it survive a crash. Windows has no such call and does not need it. */
export async function syncFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return;
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
