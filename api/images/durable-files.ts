import { copyFile, link, open } from 'node:fs/promises';

/** Like `Promise.all`, but whatever fails, nothing is under way afterwards. */
export async function settleAll(work: readonly Promise<unknown>[]): Promise<void> {
  const failed = (await Promise.allSettled(work)).find((one) => one.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}

/** Makes a file that is on the disk when this resolves. Throws when there is one of that name. */
export async function writeDurably(path: string, bytes: Buffer): Promise<void> {
  const file = await open(path, 'wx');
  try {
    await file.writeFile(bytes);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Another name for a file. A link costs nothing; not every file system has them, and none has them without end. */
export async function linkOrCopy(from: string, to: string): Promise<void> {
  try {
    await link(from, to);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') throw error;
    await copyFile(from, to);
    const file = await open(to, 'r+');
    await file.sync().finally(() => file.close());
  }
}

/** Without this a crash could forget the new names in a folder. Windows can neither do nor does it need it. */
export async function syncFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return;
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
