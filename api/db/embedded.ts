import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { lockFolder } from './folder-lock.ts';

export type WorkerData = { folder: string; socketPath: string };
export type WorkerMessage = 'ready' | 'closed';

type Embedded = { socketPath: string; stop(): Promise<void> };

/**
 * Starts the embedded database of `folder` in a worker thread that listens on a Unix socket in a private
 * temporary folder. Throws `FolderInUseError` while another process has the folder.
 */
export async function startEmbedded(folder: string, onCrash: (error: Error) => void): Promise<Embedded> {
  await mkdir(folder, { recursive: true });
  const unlock = lockFolder(folder);
  const socketFolder = await mkdtemp(join(tmpdir(), 'this-or-that-'));
  const socketPath = join(socketFolder, '.s.PGSQL.5432');
  const workerData: WorkerData = { folder: join(folder, 'pglite'), socketPath };
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
    throw error;
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

function nextMessage(worker: Worker, expected: WorkerMessage): Promise<void> {
  return new Promise((resolve, reject) => {
    worker.once('error', reject);
    worker.once('exit', () => reject(new Error('The embedded database ended unexpectedly.')));
    worker.on('message', (message: WorkerMessage) => {
      if (message === expected) resolve();
    });
  });
}
