import { rmSync } from 'node:fs';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { openDatabase } from '#api/db/open-database.ts';
import { cookieHeader } from '#api/testing/cookies.ts';
import { freePort } from '#api/testing/servers/free-port.ts';
import { collectOutput, exitCodeOf, spawnNode } from '#scripts/run/children.ts';

const OWNER_PASSWORD = 'owner of the benchmarks';
const READY_TIMEOUT_MS = 30_000;

/** A running server, with the cookies of a session of its owner. */
export type Server = { address: string; pid: number; cookie: string };

type ServerOptions = {
  /** Overrides the defaults, among them a quiet log and no rate limits. */
  env?: Readonly<Record<string, string>>;
  /** Command line options for Node. */
  nodeOptions?: readonly string[];
  /** Called with the server's data folder before it starts. */
  prepare?(dataDir: string): Promise<void>;
};

let template: Promise<string> | undefined;

/**
 * Creates a data folder with an empty, migrated embedded database. This takes seconds, so it is created only once and copied.
 */
async function createTemplate(): Promise<string> {
  const dataDir = await mkdtemp(join(tmpdir(), 'this-or-that-bench-'));
  process.once('exit', () => rmSync(dataDir, { recursive: true, force: true }));
  const db = await openDatabase({ databaseUrl: null, dataDir }, (error) => {
    throw error;
  });
  await db.close();
  return dataDir;
}

/** Runs the real server with a temporary data folder, on the embedded database if `databaseUrl` is empty. */
export async function withServer<Result>(
  databaseUrl: string,
  work: (server: Server) => Promise<Result>,
  { env = {}, nodeOptions = [], prepare }: ServerOptions = {},
): Promise<Result> {
  const port = await freePort();
  const address = `http://localhost:${port}`;
  const dataDir = await mkdtemp(join(tmpdir(), 'this-or-that-bench-'));
  if (databaseUrl === '') {
    template ??= createTemplate();
    await cp(await template, dataDir, { recursive: true });
  }
  await prepare?.(dataDir);
  const child = spawnNode([...nodeOptions, fileURLToPath(import.meta.resolve('#api/server.ts'))], {
    env: {
      PATH: process.env.PATH,
      PORT: String(port),
      PUBLIC_URL: address,
      DATA_DIR: dataDir,
      DATABASE_URL: databaseUrl,
      OWNER_PASSWORD,
      RATE_LIMITS: 'off',
      LOG_LEVEL: 'error',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const readOutput = collectOutput(child);
  const exited = exitCodeOf(child);
  try {
    await waitUntilReady(address, readOutput);
    return await work({ address, pid: child.pid ?? 0, cookie: await logIn(address) });
  } finally {
    child.kill('SIGTERM');
    await exited;
    await rm(dataDir, { recursive: true, force: true });
  }
}

async function waitUntilReady(address: string, readOutput: () => string): Promise<void> {
  const deadlineMs = performance.now() + READY_TIMEOUT_MS;
  while (!(await fetch(`${address}/api/ready`).catch(() => null))?.ok) {
    if (performance.now() > deadlineMs) throw new Error(`The server did not become ready:\n${readOutput()}`);
    await sleep(50);
  }
}

/** Logs in as the owner; resolves with the value of the Cookie header. */
export async function logIn(address: string): Promise<string> {
  const response = await fetch(`${address}/api/login`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ username: 'owner', password: OWNER_PASSWORD }),
  });
  if (!response.ok) throw new Error(`The login failed: ${await response.text()}`);
  return cookieHeader(response);
}
