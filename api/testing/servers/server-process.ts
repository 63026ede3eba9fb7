import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { inject } from 'vitest';
import { type Database, openEmbedded, openPostgres } from '#api/db/client.ts';
import { freePort } from '#scripts/run/free-port.ts';
import { createTestDatabase } from './database.ts';
import { keepProgram } from './embedded-databases.ts';

const SERVER = fileURLToPath(import.meta.resolve('#api/server.ts'));
/** Loaded before the server, in each of its threads. */
const PRELOADED = [import.meta.resolve('./cheap-passwords.ts'), import.meta.resolve('./fast-start.ts')];

/** PGlite's program is compiled quickly: in a process that ends soon, optimising it takes more time than it saves. */
const V8_FLAGS = ['--liftoff-only'];

/**
 * For a test that starts processes: several of them, on a machine that has much else to do. A process that hangs is
 * still told, and ended with the data that it was started on.
 */
export const PROCESS_TEST_TIMEOUT_MS = 300_000;

/** The processes that have not ended, by `DATA_DIR`. */
const running = new Map<string, Set<ServerProcess>>();

export type ServerProcess = {
  child: ChildProcess;
  address: string;
  stdout(): string;
  stderr(): string;
  /** Resolves once the server listens; rejects with what it wrote when it ended instead. */
  listening: Promise<void>;
  /** The exit code, null when a signal ended it. */
  exited: Promise<number | null>;
};

/** Starts the real server with `env` alone as its configuration, on a free port unless `PORT` is given. */
export async function startServerProcess(env: Record<string, string>): Promise<ServerProcess> {
  const port = env.PORT ?? String(await freePort());
  const child = spawn(process.execPath, [...V8_FLAGS, ...PRELOADED.map((url) => `--import=${url}`), SERVER], {
    env: { PATH: process.env.PATH ?? '', PORT: port, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = { stdout: '', stderr: '' };
  child.stderr.on('data', (chunk) => {
    output.stderr += chunk;
  });
  const exited = once(child, 'close').then(([code]: (number | null)[]) => code ?? null);
  const listening = new Promise<void>((resolve, reject) => {
    child.stdout.on('data', (chunk) => {
      output.stdout += chunk;
      if (output.stdout.includes('Listening on')) resolve();
    });
    exited.then((code) => reject(new Error(`The server ended with ${code}: ${output.stderr}`)), reject);
  });
  // A test may care for the exit only.
  listening.catch(() => {});
  const server: ServerProcess = {
    child,
    address: `http://127.0.0.1:${port}`,
    stdout: () => output.stdout,
    stderr: () => output.stderr,
    listening,
    exited,
  };
  keepTrack(server, env.DATA_DIR ?? '');
  return server;
}

function keepTrack(server: ServerProcess, dataDir: string): void {
  const others = running.get(dataDir) ?? new Set();
  running.set(dataDir, others.add(server));
  const forget = () => others.delete(server);
  server.exited.then(forget, forget);
}

/** Ends what a test that failed has left. */
async function endProcesses(dataDir: string): Promise<void> {
  for (const { child, exited } of running.get(dataDir) ?? []) {
    child.kill('SIGKILL');
    await exited;
  }
  running.delete(dataDir);
}

export type ServerData = {
  /** The variables for a server on it. */
  env: Record<string, string>;
  /** Looks at the data as they lie there while no server runs. */
  inspect<Result>(look: (db: Database) => Promise<Result>): Promise<Result>;
  /** With the processes that still run on it. */
  remove(): Promise<void>;
};

/** A data folder with a migrated database of its own, of the project's kind. */
export async function createServerData(): Promise<ServerData> {
  const dataDir = await mkdtemp(join(tmpdir(), 'tot-server-'));
  const removeFolder = async () => {
    await endProcesses(dataDir);
    await rm(dataDir, { recursive: true, force: true });
  };
  const source = inject('testDatabase');
  if (source.kind === 'embedded') {
    await keepProgram();
    cpSync(source.templateFolder, join(dataDir, 'db'), { recursive: true });
    const open = () => openEmbedded(join(dataDir, 'db'), rethrow);
    return { env: { DATA_DIR: dataDir, TMPDIR: dataDir }, inspect: inspector(open), remove: removeFolder };
  }
  const db = await createTestDatabase();
  const url = db.url ?? '';
  return {
    env: { DATA_DIR: dataDir, TMPDIR: dataDir, DATABASE_URL: url },
    inspect: inspector(async () => openPostgres(url, { connections: 2 })),
    remove: async () => {
      await removeFolder();
      await db.close();
    },
  };
}

function inspector(open: () => Promise<Database>): ServerData['inspect'] {
  return async (look) => {
    const db = await open();
    try {
      return await look(db);
    } finally {
      await db.close();
    }
  };
}

function rethrow(error: Error): never {
  throw error;
}
