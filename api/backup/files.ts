import { constants, type Dirent } from 'node:fs';
import { copyFile, mkdir, open, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ExplainedError } from '#api/errors.ts';
import { ifMissing, inBatches, linkOrCopy, syncFolder } from '#api/storage/durable-files.ts';

/** The folder that a new file system contains, and only root can read. */
export const LOST_AND_FOUND = 'lost+found';

type Entry = { path: string; isFolder: boolean };

/** Copies a file, as a copy-on-write clone on file systems that support it. */
export async function cloneOrCopy(from: string, to: string): Promise<void> {
  await copyFile(from, to, constants.COPYFILE_FICLONE);
}

/** Hard-links (or copies) a file, unless it has been removed. */
export async function linkIfExists(from: string, to: string): Promise<void> {
  await linkOrCopy(from, to).catch(ifMissing(undefined));
}

/** Copies the tree below `from` to `to`, each file with `copy`, except for files that already exist there. */
export async function copyTree(
  from: string,
  to: string,
  copy: (from: string, to: string) => Promise<void>,
): Promise<void> {
  await mkdir(to, { recursive: true });
  const existing = new Set((await walk(to)).map(({ path }) => path));
  const missing = (await walk(from)).filter(({ path }) => !existing.has(path));
  for (const { path } of missing.filter(({ isFolder }) => isFolder)) await mkdir(join(to, path));
  await inBatches(
    missing.filter(({ isFolder }) => !isFolder),
    ({ path }) => copy(join(from, path), join(to, path)),
  );
}

/** The number of files below `roots`, and the sum of their bytes. */
export async function measureTrees(roots: readonly string[]): Promise<{ files: number; bytes: number }> {
  const totals = { files: 0, bytes: 0 };
  for (const root of roots) {
    const files = (await walk(root)).filter(({ isFolder }) => !isFolder);
    await inBatches(files, async ({ path }) => {
      const { size } = await stat(join(root, path));
      totals.files += 1;
      totals.bytes += size;
    });
  }
  return totals;
}

/** Flushes everything below `root` to disk. */
export async function syncTree(root: string): Promise<void> {
  const entries = await walk(root);
  await inBatches(
    entries.filter(({ isFolder }) => !isFolder),
    async ({ path }) => {
      const file = await open(join(root, path), 'r');
      await file.sync().finally(() => file.close());
    },
  );
  for (const { path } of entries.filter(({ isFolder }) => isFolder)) await syncFolder(join(root, path));
  await syncFolder(root);
}

/**
 * Files and folders below `root`, each folder before its content, without `lost+found`. A missing folder counts as empty.
 * Throws `ExplainedError` for entries of other kinds: a symbolic link may lead to files that only the server's user can read.
 */
async function walk(root: string, below = ''): Promise<Entry[]> {
  const results: Entry[] = [];
  const entries = await readdir(join(root, below), { withFileTypes: true }).catch(ifMissing<Dirent[]>([]));
  for (const entry of entries.filter(({ name }) => name !== LOST_AND_FOUND)) {
    const path = join(below, entry.name);
    if (!entry.isFile() && !entry.isDirectory()) {
      throw new ExplainedError(`${join(root, path)} is neither a file nor a folder.`);
    }
    results.push({ path, isFolder: entry.isDirectory() });
    if (entry.isDirectory()) results.push(...(await walk(root, path)));
  }
  return results;
}
