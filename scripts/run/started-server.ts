import type { ChildProcess } from 'node:child_process';
import { cpSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '#api/testing/servers/free-port.ts';
import { collectOutput, exitCodeOf, hasExited, spawnNode } from './children.ts';
import { ROOT } from './root.ts';

/** Only a very busy machine needs this long. */
const READY_TIMEOUT_MS = 60_000;
const READY_CHECK_INTERVAL_MS = 50;

/**
 * Variables that are cleared, so that neither the developer's environment nor `.env` configures the server. An empty variable
 * counts as unset, and takes precedence over `.env`.
 */
const CLEARED_VARIABLES = [
  ...['HOST', 'TRUST_PROXY', 'MAX_CONNECTIONS', 'PUBLIC_POLLS', 'ANALYTICS_URL', 'METRICS_TOKEN'],
  ...['DATABASE_URL', 'DATABASE_DIRECT_URL', 'DATABASE_REPLICA_URL', 'IMAGE_STORAGE'],
  ...['S3_ENDPOINT', 'S3_BUCKET', 'S3_REGION', 'S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY'],
  ...['SMTP_URL', 'MAIL_FROM', 'OWNER_USERNAME', 'OWNER_EMAIL', 'ADMIN_PASSKEY'],
  ...['VAPID_PUBLIC_KEY', 'VAPID_PRIVATE_KEY', 'VAPID_SUBJECT', 'PUSH_TEST_ORIGIN'],
  ...['OTEL_EXPORTER_OTLP_ENDPOINT', 'OTEL_EXPORTER_OTLP_HEADERS', 'OTEL_SERVICE_NAME'],
  ...['OTEL_TRACES_SAMPLER', 'OTEL_TRACES_SAMPLER_ARG'],
];

/** This process's environment with no other configuration of the server than `settings`. */
export function serverEnv(settings: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
  const cleared = Object.fromEntries(CLEARED_VARIABLES.map((name) => [name, '']));
  return { ...process.env, ...cleared, ...settings };
}

/** A server started as by `npm start`, with its own data folder and port. */
export type StartedServer = {
  address: string;
  dataDir: string;
  ownerPassword: string;
  /** Everything that the server has printed so far. */
  log(): string;
  /** Stops the process with SIGTERM. */
  stop(): Promise<void>;
  /** Starts the server again with the same port and data. */
  start(): Promise<void>;
  /** Stops the server and removes its data. */
  remove(): Promise<void>;
};

async function isReady(address: string): Promise<boolean> {
  try {
    const response = await fetch(`${address}/api/ready`);
    await response.arrayBuffer();
    return response.ok;
  } catch {
    return false;
  }
}

/**
 * Starts the server in a temporary folder and waits until it is ready. Creating a database takes most of the time; `template`,
 * the data folder of a stopped server, avoids that: the server starts with a copy.
 */
export async function startServer(
  settings: Record<string, string> = {},
  template?: string,
): Promise<StartedServer> {
  const port = await freePort();
  const address = `http://localhost:${port}`;
  const dataDir = await mkdtemp(join(tmpdir(), 'this-or-that-'));
  // The folder has a thousand small files, which `cpSync` copies in a fifth of the time that the asynchronous `cp` takes.
  if (template !== undefined) cpSync(template, dataDir, { recursive: true });
  const ownerPassword = 'owner of the tests';
  const env = serverEnv({
    PORT: String(port),
    PUBLIC_URL: address,
    DATA_DIR: dataDir,
    OWNER_PASSWORD: ownerPassword,
    RATE_LIMITS: 'off',
    LOG_LEVEL: 'warn',
    ...settings,
  });
  let child: ChildProcess | null = null;
  let readLog = () => '';

  async function start(): Promise<void> {
    const running = spawnNode([join(ROOT, 'scripts', 'start.ts')], {
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    child = running;
    const earlierLog = readLog();
    const readOutput = collectOutput(running);
    readLog = () => earlierLog + readOutput();
    const deadlineMs = performance.now() + READY_TIMEOUT_MS;
    while (!(await isReady(address))) {
      if (hasExited(running) || performance.now() > deadlineMs) {
        throw new Error(`The server did not become ready:\n${readLog()}`);
      }
      await sleep(READY_CHECK_INTERVAL_MS);
    }
  }

  async function stop(): Promise<void> {
    if (!child || hasExited(child)) return;
    const exited = exitCodeOf(child);
    child.kill('SIGTERM');
    await exited;
  }

  async function remove(): Promise<void> {
    await stop();
    await rm(dataDir, { recursive: true, force: true });
  }

  try {
    await start();
  } catch (error) {
    // Otherwise a process that is merely slow would keep running.
    await remove();
    throw error;
  }
  return {
    address,
    dataDir,
    ownerPassword,
    log: () => readLog(),
    stop,
    start,
    remove,
  };
}
