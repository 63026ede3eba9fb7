import { execFileSync, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '#api/testing/servers/free-port.ts';
import { collectOutput, exitCodeOf } from '#scripts/run/children.ts';

const FOLDER = join(import.meta.dirname, '..', 'packages');
const READY_TIMEOUT_MS = 30_000;

/** The folder of a package of bench/packages/, which is installed if it is missing, since only benchmarks need it. */
export function installedPackage(name: 'lighthouse' | 'bun' | '@feathersjs/feathers'): string {
  const folder = join(FOLDER, 'node_modules', name);
  if (!existsSync(folder))
    execFileSync('npm', ['ci', '--prefix', FOLDER, '--no-audit', '--no-fund'], { stdio: 'inherit' });
  return folder;
}

/** Runs a Feathers server with votes and the feed, on the database at `databaseUrl`, and passes its address to `work`. */
export function withFeathers<Result>(
  databaseUrl: string,
  work: (address: string) => Promise<Result>,
): Promise<Result> {
  installedPackage('@feathersjs/feathers');
  const env = { DATABASE_URL: databaseUrl, NODE_ENV: 'production' };
  return withListener([process.execPath, join(FOLDER, 'feathers.mjs')], env, work);
}

/** Runs a Bun server that publishes to WebSockets, and passes its address to `work`. */
export function withBun<Result>(work: (address: string) => Promise<Result>): Promise<Result> {
  // The package gives its program this name on every system.
  const program = join(installedPackage('bun'), 'bin', 'bun.exe');
  return withListener([program, join(FOLDER, 'publish.mjs')], {}, work);
}

/** Runs a command and passes its address to `work`. It listens on `chosenPort`, or on a free port that it reads from PORT. */
export async function withListener<Result>(
  [program, ...args]: readonly [string, ...string[]],
  env: Readonly<Record<string, string>>,
  work: (address: string) => Promise<Result>,
  chosenPort?: number,
): Promise<Result> {
  const port = chosenPort ?? (await freePort());
  const address = `http://127.0.0.1:${port}`;
  const child = spawn(program, args, {
    env: { PATH: process.env.PATH, PORT: String(port), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const readOutput = collectOutput(child);
  const exited = exitCodeOf(child);
  try {
    const deadlineMs = performance.now() + READY_TIMEOUT_MS;
    while ((await fetch(address).catch(() => null)) === null) {
      if (child.exitCode !== null || performance.now() > deadlineMs)
        throw new Error(`${program} does not listen:\n${readOutput()}`);
      await sleep(50);
    }
    return await work(address);
  } finally {
    child.kill('SIGTERM');
    await exited;
  }
}
