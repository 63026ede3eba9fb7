import { parentPort, workerData } from 'node:worker_threads';
import { PGlite } from '@electric-sql/pglite';
import { pg_trgm } from '@electric-sql/pglite/contrib/pg_trgm';
import { PGLiteSocketServer } from '@electric-sql/pglite-socket';
import type { WorkerData, WorkerMessage } from './embedded.ts';
import { PrivateFiles } from './private-files.ts';

const { folder, socketPath }: WorkerData = workerData;

const database = await PGlite.create({ fs: new PrivateFiles(folder), extensions: { pg_trgm } });
const server = new PGLiteSocketServer({ db: database, path: socketPath, maxConnections: 1 });
await server.start();
send('ready');

parentPort?.once('message', async () => {
  await server.stop();
  await database.close();
  send('closed');
});

function send(message: WorkerMessage): void {
  parentPort?.postMessage(message);
}
