import { rmSync } from 'node:fs';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { openDatabase } from '#api/db/open-database.ts';
import { collectOutput, exitCodeOf, spawnNode } from '#scripts/run/children.ts';
import { freePort } from '#scripts/run/free-port.ts';

const OWNER_PASSWORD = 'owner of the benchmarks';
const READY_WITHIN_MS = 30_000;

/** A running server, with the session of its owner. */
export type Server = { address: string; pid: number; cookie: string };

type ServerOptions = {
  /** In addition to a quiet log and no limits. */
  env?: Readonly<Record<string, string>>;
  /** Options of Node. */
  nodeOptions?: readonly string[];
  /** What is done with the server's data before it starts. */
  prepare?(dataDir: string): Promise<void>;
};

let template: Promise<string> | undefined;

/** A data folder with a migrated embedded database without rows, made once a run: a new one takes seconds. */
async function makeTemplate(): Promise<string> {
  const dataDir = await mkdtemp(join(tmpdir(), 'this-or-that-bench-'));
  process.once('exit', () => rmSync(dataDir, { recursive: true, force: true }));
  const db = await openDatabase({ databaseUrl: null, dataDir }, (error) => {
    throw error;
  });
  await db.close();
  return dataDir;
}

/** Runs the product's server with data of its own, on the embedded database when `databaseUrl` is empty. */
export async function withServer<Result>(
  databaseUrl: string,
  work: (server: Server) => Promise<Result>,
  { env = {}, nodeOptions = [], prepare }: ServerOptions = {},
): Promise<Result> {
  const port = await freePort();
  const address = `http://localhost:${port}`;
  const dataDir = await mkdtemp(join(tmpdir(), 'this-or-that-bench-'));
  if (databaseUrl === '') {
    template ??= makeTemplate();
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
  const printed = collectOutput(child);
  const ended = exitCodeOf(child);
  try {
    await waitUntilReady(address, printed);
    return await work({ address, pid: child.pid ?? 0, cookie: await logIn(address) });
  } finally {
    child.kill('SIGTERM');
    await ended;
    await rm(dataDir, { recursive: true, force: true });
  }
}

async function waitUntilReady(address: string, printed: () => string): Promise<void> {
  const deadlineMs = performance.now() + READY_WITHIN_MS;
  while (!(await fetch(`${address}/api/ready`).catch(() => null))?.ok) {
    if (performance.now() > deadlineMs) throw new Error(`The server did not become ready:\n${printed()}`);
    await sleep(50);
  }
}

/** Logs the owner in; resolves with the cookies. */
export async function logIn(address: string): Promise<string> {
  const answer = await fetch(`${address}/api/login`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ username: 'owner', password: OWNER_PASSWORD }),
  });
  if (!answer.ok) throw new Error(`No session: ${await answer.text()}`);
  return answer.headers
    .getSetCookie()
    .map((each) => each.split(';')[0])
    .join('; ');
}
