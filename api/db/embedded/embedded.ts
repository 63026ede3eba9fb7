import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { ExplainedError } from '#api/errors.ts';
import { lockFolder } from './folder-lock.ts';

/** Short, since socket paths have a low maximum length: `data-folders.ts` checks it, and has to know this prefix. */
const SOCKET_FOLDER_PREFIX = 'tot-';

/** The files of the embedded database are damaged. */
export class BrokenDatabaseError extends ExplainedError {
  constructor(folder: string, cause: unknown) {
    const reason = reasonOf(cause);
    super(
      `The database in ${folder} cannot be opened${reason === '' ? '' : ` (${reason})`}. ` +
        'Put a backup in its place (npm run restore, into an empty DATA_DIR), or move the folder away to begin with an empty one.',
      cause,
    );
  }
}

/** The first line of an error's message, without Emscripten's advice for developers. */
export function reasonOf(cause: unknown): string {
  const [line = ''] = (cause instanceof Error ? cause.message : String(cause)).split('\n', 1);
  return line.replace(/^Aborted\((.*)\)\. Build with -sASSERTIONS for more info\.$/, '$1');
}

/** A long statement blocks the worker. After this time it is ended, as by a crash, which the database survives. */
const CLOSE_TIMEOUT_MS = 2_000;

export type WorkerData = { folder: string; socketPath: string };
export type WorkerMessage = 'ready' | 'closed';

export type Embedded = { socketPath: string; stop(): Promise<void> };

/**
 * Starts the embedded database of `folder` in a worker thread that listens on a Unix socket in a private temporary folder.
 * Throws `FolderInUseError` while another process uses the folder, and `BrokenDatabaseError`.
 */
export async function startEmbedded(folder: string, onCrash: (error: Error) => void): Promise<Embedded> {
  await mkdir(folder, { recursive: true });
  const cleanup = new AsyncDisposableStack();
  try {
    cleanup.defer(lockFolder(folder));
    const files = join(folder, 'pglite');
    // PGlite would silently create a new database over the old files.
    if (!existsSync(join(files, 'PG_VERSION')) && existsSync(join(files, 'global', 'pg_control'))) {
      throw new BrokenDatabaseError(folder, 'PG_VERSION is missing');
    }
    const socketFolder = await makeSocketFolder(folder);
    cleanup.defer(() => rm(socketFolder, { recursive: true, force: true }));
    const socketPath = join(socketFolder, '.s.PGSQL.5432');
    const workerData: WorkerData = { folder: files, socketPath };
    const worker = new Worker(new URL('./pglite-worker.ts', import.meta.url), { workerData });
    cleanup.defer(async () => void (await worker.terminate()));
    await nextMessage(worker, 'ready').catch((error: unknown) => {
      throw new BrokenDatabaseError(folder, error);
    });

    let isEnding = false;
    const reportOnce = (error: Error) => {
      if (!isEnding) onCrash(error);
      isEnding = true;
    };
    worker.on('error', reportOnce);
    worker.on('exit', () => reportOnce(new Error('The embedded database ended unexpectedly.')));

    return {
      socketPath,
      stop: async () => {
        try {
          // After a crash the worker does not respond.
          if (!isEnding) {
            isEnding = true;
            const closed = nextMessage(worker, 'closed');
            worker.postMessage('close');
            await Promise.race([closed, sleep(CLOSE_TIMEOUT_MS, undefined, { ref: false })]);
          }
        } finally {
          await cleanup.disposeAsync();
        }
      },
    };
  } catch (error) {
    await cleanup.disposeAsync();
    throw error;
  }
}

/** Removes the socket folder that a killed process left behind, creates a new one, and stores its path in `folder`. */
async function makeSocketFolder(folder: string): Promise<string> {
  const pathFile = join(folder, 'socket-folder');
  const staleFolder = await readFile(pathFile, 'utf8').catch(() => '');
  if (dirname(staleFolder) === tmpdir() && basename(staleFolder).startsWith(SOCKET_FOLDER_PREFIX)) {
    await rm(staleFolder, { recursive: true, force: true });
  }
  const socketFolder = await mkdtemp(join(tmpdir(), SOCKET_FOLDER_PREFIX));
  await writeFile(pathFile, socketFolder);
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
