import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { lockFolder } from './folder-lock.ts';

/** Short, since the path of a socket has little room. */
const SOCKET_FOLDER_PREFIX = 'tot-';

/** The files of the embedded database are there and no database can be made of them. */
export class BrokenDatabaseError extends Error {
  constructor(folder: string, cause: unknown) {
    const reason = cause instanceof Error ? cause.message.split('\n', 1)[0] : String(cause);
    super(
      `The database in ${folder} cannot be opened (${reason}). ` +
        'Put a backup in its place, or move the folder away to begin with an empty one.',
      { cause },
    );
    this.name = 'BrokenDatabaseError';
  }
}

export type WorkerData = { folder: string; socketPath: string };
export type WorkerMessage = 'ready' | 'closed';

type Embedded = { socketPath: string; stop(): Promise<void> };

/**
 * Starts the embedded database of `folder` in a worker thread that listens on a Unix socket in a private
 * temporary folder. Throws `FolderInUseError` while another process has the folder, and `BrokenDatabaseError`.
 */
export async function startEmbedded(folder: string, onCrash: (error: Error) => void): Promise<Embedded> {
  await mkdir(folder, { recursive: true });
  const unlock = lockFolder(folder);
  const files = join(folder, 'pglite');
  // PGlite would make a new database over the files of the old one, without a word.
  if (!existsSync(join(files, 'PG_VERSION')) && existsSync(join(files, 'global', 'pg_control'))) {
    unlock();
    throw new BrokenDatabaseError(folder, 'PG_VERSION is missing');
  }
  const socketFolder = await makeSocketFolder(folder);
  const socketPath = join(socketFolder, '.s.PGSQL.5432');
  const workerData: WorkerData = { folder: files, socketPath };
  const worker = new Worker(new URL('./pglite-worker.ts', import.meta.url), { workerData });

  async function release(): Promise<void> {
    unlock();
    await rm(socketFolder, { recursive: true, force: true });
  }

  try {
    await nextMessage(worker, 'ready');
  } catch (error) {
    await worker.terminate();
    await release();
    throw new BrokenDatabaseError(folder, error);
  }
  let isExpectedToEnd = false;
  const reportOnce = (error: Error) => {
    if (!isExpectedToEnd) onCrash(error);
    isExpectedToEnd = true;
  };
  worker.on('error', reportOnce);
  worker.on('exit', () => reportOnce(new Error('The embedded database ended unexpectedly.')));

  return {
    socketPath,
    stop: async () => {
      isExpectedToEnd = true;
      const closed = nextMessage(worker, 'closed');
      worker.postMessage('close');
      await closed;
      await worker.terminate();
      await release();
    },
  };
}

/** A killed process leaves its socket folder behind; the next one knows it from a note and removes it. */
async function makeSocketFolder(folder: string): Promise<string> {
  const note = join(folder, 'socket-folder');
  const leftover = await readFile(note, 'utf8').catch(() => '');
  if (dirname(leftover) === tmpdir() && basename(leftover).startsWith(SOCKET_FOLDER_PREFIX)) {
    await rm(leftover, { recursive: true, force: true });
  }
  const socketFolder = await mkdtemp(join(tmpdir(), SOCKET_FOLDER_PREFIX));
  await writeFile(note, socketFolder);
  return socketFolder;
}

function nextMessage(worker: Worker, expected: WorkerMessage): Promise<void> {
  return new Promise((resolve, reject) => {
    worker.once('error', reject);
    worker.once('exit', () => reject(new Error('The embedded database ended unexpectedly.')));
    worker.on('message', (message: WorkerMessage) => {
      if (message === expected) resolve();
    });
  });
}
