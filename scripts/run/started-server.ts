import type { ChildProcess } from 'node:child_process';
import { cpSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { collectOutput, exitCodeOf, spawnNode } from './children.ts';
import { freePort } from './free-port.ts';
import { ROOT } from './root.ts';

/** Nothing but a machine with much other work needs this long. */
const READY_WITHIN_MS = 60_000;
const POLL_EVERY_MS = 50;

/** Settings of the person who runs this must not reach a server that is only tried out. */
const SETTINGS = [
  ...['HOST', 'DATABASE_URL', 'SMTP_URL', 'MAIL_FROM', 'OWNER_USERNAME', 'OWNER_EMAIL', 'TRUST_PROXY'],
  ...['METRICS_TOKEN', 'ADMIN_PASSKEY', 'VAPID_PUBLIC_KEY', 'VAPID_PRIVATE_KEY', 'VAPID_SUBJECT'],
];

/** The product as `npm start` runs it, with a data folder and a port of its own. */
export type StartedServer = {
  address: string;
  dataDir: string;
  ownerPassword: string;
  /** Everything that the server printed. */
  log(): string;
  /** Ends the process as a person would; nothing answers until `start`. */
  stop(): Promise<void>;
  /** Starts it again with the same port and data. */
  start(): Promise<void>;
  /** Ends it and removes its data. */
  remove(): Promise<void>;
};

async function isReady(address: string): Promise<boolean> {
  try {
    const answer = await fetch(`${address}/api/ready`);
    await answer.arrayBuffer();
    return answer.ok;
  } catch {
    return false;
  }
}

/**
 * Starts the product in a temporary folder and waits until it is ready. Creating a database takes most of that: with
 * `template`, the data folder of a server that was stopped, it starts on a copy.
 */
export async function startServer(
  settings: Record<string, string> = {},
  template?: string,
): Promise<StartedServer> {
  const port = await freePort();
  const address = `http://localhost:${port}`;
  const dataDir = await mkdtemp(join(tmpdir(), 'this-or-that-'));
  // A thousand small files: in one call it costs a fifth of what it does file by file.
  if (template !== undefined) cpSync(template, dataDir, { recursive: true });
  const ownerPassword = 'owner of the tests';
  const unset = Object.fromEntries(SETTINGS.map((name) => [name, '']));
  const env = {
    ...process.env,
    ...unset,
    PORT: String(port),
    PUBLIC_URL: address,
    DATA_DIR: dataDir,
    OWNER_PASSWORD: ownerPassword,
    RATE_LIMITS: 'off',
    LOG_LEVEL: 'warn',
    ...settings,
  };
  let child: ChildProcess | null = null;
  let printed = () => '';

  async function start(): Promise<void> {
    const running = spawnNode([join(ROOT, 'scripts', 'start.ts')], {
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    child = running;
    const before = printed();
    const now = collectOutput(running);
    printed = () => before + now();
    const deadline = performance.now() + READY_WITHIN_MS;
    while (!(await isReady(address))) {
      if (running.exitCode !== null || performance.now() > deadline) {
        throw new Error(`The server did not become ready:\n${printed()}`);
      }
      await sleep(POLL_EVERY_MS);
    }
  }

  async function stop(): Promise<void> {
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = exitCodeOf(child);
    child.kill('SIGTERM');
    await ended;
  }

  async function remove(): Promise<void> {
    await stop();
    await rm(dataDir, { recursive: true, force: true });
  }

  try {
    await start();
  } catch (error) {
    // A process that is only slow would stay for ever, and make the next one slower.
    await remove();
    throw error;
  }
  return {
    address,
    dataDir,
    ownerPassword,
    log: () => printed(),
    stop,
    start,
    remove,
  };
}
