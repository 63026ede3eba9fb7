import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { getRequestListener, RequestError } from '@hono/node-server';
import { pino } from 'pino';
import { ensureOwner } from '#api/accounts/ensure-owner.ts';
import { createJobs } from '#api/admin/jobs/run-job.ts';
import { startHousekeeping } from '#api/housekeeping/housekeeping.ts';
import { startImageSweeps } from '#api/housekeeping/image-sweep.ts';
import { toAppError } from '#api/http/error-mapping.ts';
import { createKeyedMutex } from '#api/http/limits/keyed-mutex.ts';
import { createLimits } from '#api/http/limits/limits.ts';
import { createLog } from '#api/http/log.ts';
import { securityHeaderValues } from '#api/http/response-headers.ts';
import { findOpenSessions } from '#api/http/session/sessions.ts';
import { loadStaticFiles } from '#api/http/static-files.ts';
import { createImagePipeline } from '#api/images/image-pipeline.ts';
import { createImageStore } from '#api/images/image-store.ts';
import { createSampleImages } from '#api/images/sample-images.ts';
import { createJobFiles } from '#api/jobs/job-files.ts';
import { createLiveHub } from '#api/live/live-hub.ts';
import { startLiveRelay } from '#api/live/live-relay.ts';
import { openSocket } from '#api/live/open-socket.ts';
import { acceptUpgrades, isSocketRequest } from '#api/live/upgrades.ts';
import { createMailJob } from '#api/mail/mail-job.ts';
import { createMailer } from '#api/mail/mail-transport.ts';
import { createPasswordPool } from '#api/passwords/password-pool.ts';
import { createFeedBuffer } from '#api/polls/read-feed.ts';
import { createApp } from './app.ts';
import { prepareDataFolders } from './data-folders.ts';
import { openDatabase } from './db/open-database.ts';
import type { Deps, JobDeps } from './deps.ts';
import { DEFAULT_OWNER_EMAIL, type Env } from './env.ts';
import { AppError } from './errors.ts';
import { inStage } from './start-error.ts';

const ROOT = resolve(import.meta.dirname, '..');

const SERVER_OPTIONS = {
  maxHeaderSize: 20 * 1024,
  headersTimeout: 10_000,
  requestTimeout: 120_000,
  // How often the two timeouts above are checked.
  connectionsCheckingInterval: 2_000,
  shouldUpgradeCallback: isSocketRequest,
};
/** The time for running answers to announce `Connection: close`. */
const DRAIN_MS = 1_000;
const REQUESTS_END_WITHIN_MS = 10_000;

export type RunningServer = {
  /** Turns readiness off, finishes running requests and closes everything. */
  stop(): Promise<void>;
};

/** Opens and migrates the database and listens. When anything fails, closes everything and throws. */
export async function startServer(env: Env): Promise<RunningServer> {
  const destination = pino.destination({ dest: 1, sync: false });
  const log = createLog(env.logLevel, destination);
  await prepareDataFolders(env.dataDir, {
    isEmbedded: env.databaseUrl === null,
    hasMails: env.mail.smtpUrl === null,
  });

  // In reverse order: what uses the database is closed before it.
  const cleanup = new AsyncDisposableStack();
  try {
    const passwords = createPasswordPool();
    cleanup.defer(() => passwords.close());
    const db = await inStage('database', () =>
      openDatabase(env, (error) => {
        log.fatal({ err: error }, 'The embedded database crashed');
        process.exit(1);
      }),
    );
    cleanup.defer(() => db.close());
    const imagePipeline = createImagePipeline();
    const images = await createImageStore(env.dataDir);
    const parts: JobDeps = {
      env,
      db,
      log,
      limits: createLimits(db, { enabled: env.rateLimits }),
      passwords,
      imagePipeline,
      images,
      samples: createSampleImages(env.dataDir, { imagePipeline, incomingFolder: images.incomingFolder }),
      jobFiles: createJobFiles(env.dataDir),
      feed: createFeedBuffer(),
      keyedMutex: createKeyedMutex(),
      mails: createMailJob({ db, mailer: createMailer(env, log), log, exceptTo: DEFAULT_OWNER_EMAIL }),
      live: createLiveHub({
        limited: env.rateLimits,
        findOpenSessions: (hashes) => findOpenSessions(db, hashes),
        onError: (err) => log.error({ err }, 'The sessions of the sockets could not be checked'),
      }),
      lifecycle: { isStopping: false },
      version: await readVersion(),
    };
    const deps: Deps = { ...parts, jobs: createJobs(parts) };
    printOwnerPassword(env, await ensureOwner(deps));
    const files = await loadStaticFiles(join(ROOT, 'dist', 'app'), await securityHeaderValues(env));
    const app = createApp(deps, files);
    cleanup.defer(await startImageSweeps(deps, (err) => log.error({ err }, 'The sweep failed')));
    cleanup.defer(() => deps.mails.stop());
    deps.mails.start();
    cleanup.defer(() => deps.jobs.stop());
    deps.jobs.start();
    cleanup.defer(startHousekeeping(db, (err) => log.error({ err }, 'The housekeeping failed')));
    const server = createServer(SERVER_OPTIONS, getRequestListener(app.fetch, { errorHandler }));
    acceptUpgrades(server, app.fetch, {
      open: (...connected) => openSocket(deps, ...connected),
      onError: (err) => log.error({ err }, 'An upgrade failed'),
    });
    if (db.kind === 'postgres') cleanup.defer(await relayLive(deps));
    await inStage('listening', () => listen(server, env));
    log.info({ address: env.publicUrl, database: db.kind }, `Listening on ${env.publicUrl}`);

    return {
      stop: async () => {
        deps.lifecycle.isStopping = true;
        await Promise.all([deps.live.stop(), deps.mails.stop(), deps.jobs.stop(), finishRequests(server)]);
        await cleanup.disposeAsync();
        log.info('Stopped');
        destination.flushSync();
      },
    };
  } catch (error) {
    await cleanup.disposeAsync();
    throw error;
  }
}

/** For requests that never reach the application, with an invalid URL for example. */
function errorHandler(error: unknown): Response {
  const { code, message, status } = toAppError(
    error instanceof RequestError ? new AppError('invalid_input', { cause: error }) : error,
  );
  return Response.json({ message, code, requestId: randomUUID() }, { status });
}

/** Relays events between this process and the others on the same database. */
function relayLive({ db, feed, live, log }: Deps): Promise<() => Promise<void>> {
  return startLiveRelay(db, live, {
    // Clients then fetch page 1 and must not get a cached one.
    onRemote: ({ type }) => {
      if (type === 'poll.created' || type === 'poll.removed') feed.drop();
    },
    onError: (err) => log.error({ err }, 'The other processes could not be told'),
  });
}

async function readVersion(): Promise<string> {
  const manifest: { version: string } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'));
  return manifest.version;
}

function printOwnerPassword(env: Env, password: string | null): void {
  if (password === null) return;
  process.stdout.write(
    `\n  The owner's account was made. This is shown only once:\n` +
      `    username  ${env.owner.username}\n    password  ${password}\n\n`,
  );
}

async function listen(server: Server, env: Env): Promise<void> {
  server.listen(env.port, env.host);
  await once(server, 'listening');
}

async function finishRequests(server: Server): Promise<void> {
  const connections = await new Promise<number>((done) => server.getConnections((_, count) => done(count)));
  if (connections > 0) await sleep(DRAIN_MS);
  const closed = once(server, 'close');
  server.close();
  const timer = setTimeout(() => server.closeAllConnections(), REQUESTS_END_WITHIN_MS);
  await closed;
  clearTimeout(timer);
}
