import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { inject } from 'vitest';
import { type Database, openEmbedded, openPostgres } from '#api/db/client.ts';
import { freePort } from '#api/testing/servers/free-port.ts';
import { COMPILE_CACHE } from '#scripts/run/compile-cache.ts';
import { createTestDatabase } from './database.ts';
import { compilePGlite } from './embedded-databases.ts';

const SERVER = fileURLToPath(import.meta.resolve('#api/server.ts'));
/** Preloaded into each thread of the server. */
const CHEAP_PASSWORDS = import.meta.resolve('./cheap-passwords.ts');

/**
 * For a process of Node that ends soon. The first flag skips optimising PGlite's WebAssembly module, which would take more time
 * than it saves.
 */
export const FAST_START_FLAGS = ['--liftoff-only', `--import=${import.meta.resolve('./fast-start.ts')}`];

/**
 * For tests that start several processes, even on a busy machine. A process that hangs still fails its test, and is killed when
 * its data are removed.
 */
export const PROCESS_TEST_TIMEOUT_MS = 300_000;

const READY_WITHIN_MS = 120_000;
const READY_CHECK_INTERVAL_MS = 10;

/** The running server processes, by `DATA_DIR`. */
const running = new Map<string, Set<ServerProcess>>();

export type ServerProcess = {
  child: ChildProcess;
  address: string;
  stdout(): string;
  stderr(): string;
  /** Resolves once the server listens; rejects with its stderr if it exits before. */
  listening: Promise<void>;
  /** The exit code, null when a signal ended it. */
  exited: Promise<number | null>;
};

/** Starts the real server with only `env` as its configuration, on a free port unless `PORT` is given. */
export async function startServerProcess(env: Record<string, string>): Promise<ServerProcess> {
  const port = env.PORT ?? String(await freePort());
  const child = spawn(process.execPath, [...FAST_START_FLAGS, `--import=${CHEAP_PASSWORDS}`, SERVER], {
    env: { PATH: process.env.PATH ?? '', ...COMPILE_CACHE, PORT: port, ...env },
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
  // A test may await only `exited`.
  listening.catch(() => {});
  const server: ServerProcess = {
    child,
    address: `http://127.0.0.1:${port}`,
    stdout: () => output.stdout,
    stderr: () => output.stderr,
    listening,
    exited,
  };
  trackProcess(server, env.DATA_DIR ?? '');
  return server;
}

function trackProcess(server: ServerProcess, dataDir: string): void {
  const processes = running.get(dataDir) ?? new Set();
  running.set(dataDir, processes.add(server));
  const forget = () => processes.delete(server);
  server.exited.then(forget, forget);
}

/** Kills the processes that a failed test has left behind. */
async function killProcesses(dataDir: string): Promise<void> {
  for (const { child, exited } of running.get(dataDir) ?? []) {
    child.kill('SIGKILL');
    await exited;
  }
  running.delete(dataDir);
}

/** Waits until a server can handle requests; throws its output if it exits before, or is not ready in time. */
export async function waitUntilReady({ address, exited, stdout, stderr }: ServerProcess): Promise<void> {
  const deadlineMs = performance.now() + READY_WITHIN_MS;
  let hasExited = false;
  void exited.then(() => (hasExited = true));
  for (;;) {
    const response = await fetch(`${address}/api/ready`).catch(() => null);
    await response?.arrayBuffer();
    if (response?.ok) return;
    if (hasExited || performance.now() > deadlineMs)
      throw new Error(`The server did not become ready: ${stderr()}${stdout().slice(-2_000)}`);
    await sleep(READY_CHECK_INTERVAL_MS);
  }
}

export type ServerData = {
  /** The environment variables for a server on these data. */
  env: Record<string, string>;
  /** Runs `work` with the opened database. With the embedded database, no server may be running. */
  inspect<Result>(work: (db: Database) => Promise<Result>): Promise<Result>;
  /** Removes the data, after killing the processes that still use them. */
  remove(): Promise<void>;
};

/** Creates a data folder with its own migrated database, of the test project's kind. */
export async function createServerData(): Promise<ServerData> {
  const dataDir = await mkdtemp(join(tmpdir(), 'tot-server-'));
  const removeFolder = async () => {
    await killProcesses(dataDir);
    await rm(dataDir, { recursive: true, force: true });
  };
  const source = inject('testDatabase');
  if (source.kind === 'embedded') {
    await compilePGlite();
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
  return async (work) => {
    const db = await open();
    try {
      return await work(db);
    } finally {
      await db.close();
    }
  };
}

function rethrow(error: Error): never {
  throw error;
}

/** Runs a script with only `env` as its configuration, and returns its output and its exit code. */
export async function runScript(path: string, env: Record<string, string>, args: readonly string[] = []) {
  const child = spawn(process.execPath, [...FAST_START_FLAGS, path, ...args], {
    // Empty, so that the script does not read the URLs in `.env` and use the developer's database.
    env: {
      PATH: process.env.PATH ?? '',
      ...COMPILE_CACHE,
      DATABASE_URL: '',
      DATABASE_DIRECT_URL: '',
      DATABASE_REPLICA_URL: '',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ]);
  return { stdout, stderr, code };
}
