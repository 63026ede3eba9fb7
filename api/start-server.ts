import { join, resolve } from 'node:path';
import { type Logger, pino } from 'pino';
import { ensureOwner } from '#api/accounts/ensure-owner.ts';
import { createWritePause } from '#api/backup/create-backup.ts';
import { serveBackups } from '#api/backup/serve-backups.ts';
import { securityHeaders } from '#api/http/server/security-headers.ts';
import { loadStaticFiles, staticFiles } from '#api/http/static-files.ts';
import { type ListenOptions, listenTo } from '#api/live/listen.ts';
import { startLiveRelay } from '#api/live/live-relay.ts';
import { openSocket } from '#api/live/open-socket.ts';
import { acceptUpgrades, isSocketRequest } from '#api/live/upgrades.ts';
import { createPasswordPool } from '#api/passwords/password-pool.ts';
import { loadSharePages } from '#api/polls/sharing/share-page.ts';
import type { RunningTracing } from '#api/tracing/start-tracing.ts';
import { SET_UP_TOKEN_TTL_HOURS } from '#shared/accounts/constants.ts';
import { createApp } from './app.ts';
import { configurationWarnings } from './configuration-warnings.ts';
import { createDeps } from './create-deps.ts';
import { makeDataPrivate, prepareDataFolders } from './data-folders.ts';
import { type Database, openPostgres } from './db/client.ts';
import { hasTimeouts, openDatabase } from './db/open-database.ts';
import { type Replica, watchReplica } from './db/postgres/replica.ts';
import type { Deps } from './deps.ts';
import type { Env } from './env.ts';
import { createLog } from './http/logging/log.ts';
import { createHttpServer, ensureAddressIsFree } from './http/server/http-server.ts';
import { startBackgroundWork } from './start-background-work.ts';
import { inStage, openingStage } from './start-error.ts';
import { readVersion } from './version.ts';

const NO_TIMEOUTS =
  'Statements have no timeout: a connection pooler has ignored statement_timeout or lock_timeout. Set both in its connect_query';

const ROOT = resolve(import.meta.dirname, '..');

export type RunningServer = {
  /** Turns readiness off, finishes running requests and closes everything. */
  stop(): Promise<void>;
};

/** Opens and migrates the database and listens. When anything fails, closes the database and what uses it, and throws. */
export async function startServer(env: Env): Promise<RunningServer> {
  const destination = pino.destination({ dest: 1, sync: false });
  const log = createLog(env.logLevel, destination);
  for (const warning of configurationWarnings(env)) log.warn(warning);
  await inStage('listening', () => ensureAddressIsFree(env));
  await prepareDataFolders(env.dataDir, {
    isEmbedded: env.databaseUrl === null,
    hasMails: env.mail.smtpUrl === null,
  });
  const exposed = await makeDataPrivate(env.dataDir);
  if (exposed.length > 0) {
    log.warn(
      { paths: exposed.length, first: exposed[0] },
      'Other users of this machine may read parts of DATA_DIR',
    );
  }

  // Disposed in reverse order: what uses the database is closed before it.
  const cleanup = new AsyncDisposableStack();
  try {
    const tracing = await startTracing(env, log);
    const passwords = createPasswordPool();
    cleanup.defer(() => passwords.close());
    const db = await inStage(openingStage(env), () =>
      openDatabase(env, (error) => {
        log.fatal({ err: error }, 'The embedded database crashed');
        process.exit(1);
      }),
    );
    cleanup.defer(() => db.close());
    if (db.kind === 'postgres' && !(await inStage('database', () => hasTimeouts(db)))) log.warn(NO_TIMEOUTS);
    const replica = openReplica(env, db, log);
    cleanup.defer(() => replica?.stop());
    const deps = await createDeps(env, { db, replica, log, passwords });
    printSetUpLink(env, await ensureOwner(deps));
    const builtApp = join(ROOT, 'dist', 'app');
    const files = await loadStaticFiles(builtApp);
    const sharePages = await loadSharePages(builtApp);
    const respondWithFile = files === null ? () => undefined : staticFiles(files);
    const app = createApp(deps, sharePages);
    const stopBackgroundWork = await startBackgroundWork(deps);
    cleanup.defer(stopBackgroundWork);
    if (db.kind === 'embedded') cleanup.defer(await backUpOnRequest(deps));
    const headers = securityHeaders(env);
    const http = createHttpServer(
      (request, bindings) => respondWithFile(request) ?? app.fetch(request, bindings),
      {
        log,
        connectionsMax: env.connectionsMax,
        isDirect: env.trustProxy === 0,
        headers,
        lifecycle: deps.lifecycle,
        shouldUpgradeCallback: isSocketRequest,
      },
    );
    acceptUpgrades(http.server, app.fetch, {
      headers,
      open: (...connected) => openSocket(deps, ...connected),
      onError: (err) => log.error({ err }, 'An upgrade failed'),
    });
    if (db.kind === 'postgres') cleanup.defer(await relayLive(deps));
    await inStage('listening', () => http.listen(env));
    log.info({ address: env.publicUrl, database: db.kind }, `Listening on ${env.publicUrl}`);

    return {
      stop: async () => {
        deps.lifecycle.isStopping = true;
        // All at once: `cleanup` would stop one after the other.
        await Promise.all([deps.live.stop(), stopBackgroundWork(), http.finish()]);
        await Promise.all([cleanup.disposeAsync(), tracing?.stop()]);
        log.info('Stopped');
        destination.flushSync();
      },
    };
  } catch (error) {
    await cleanup.disposeAsync();
    throw error;
  }
}

/** Loads OpenTelemetry only if traces are configured. */
async function startTracing({ tracing }: Env, log: Logger): Promise<RunningTracing | null> {
  if (tracing === null) return null;
  const module = await import('#api/tracing/start-tracing.ts');
  return module.startTracing(tracing, { log, version: await readVersion() });
}

function openReplica({ databaseReplicaUrl }: Env, db: Database, log: Logger): Replica | null {
  if (databaseReplicaUrl === null) return null;
  return watchReplica(db, openPostgres(databaseReplicaUrl), {
    onChange: (isUsable) => {
      if (isUsable) log.info('Lists of polls are read from the replica');
      else log.warn('The replica is unavailable or lags behind: everything is read from the primary');
    },
  });
}

/** Relays events between this process and the others on the same database. */
function relayLive({ db, env, listCache, live, log }: Deps): Promise<() => Promise<void>> {
  // Bypasses any connection pooler.
  const listen = (options: ListenOptions) => listenTo(env.databaseDirectUrl ?? '', options);
  return startLiveRelay({ sql: db.sql, listen }, live, {
    // Clients then fetch page 1 of the feed, which must not come from the cache.
    onRemote: ({ type }) => {
      if (type === 'poll.created' || type === 'poll.removed') listCache.drop();
    },
    onError: (err) => log.error({ err }, 'Live events could not be sent to other processes'),
  });
}

function backUpOnRequest({ db, env, log, version }: Deps): Promise<() => Promise<void>> {
  return serveBackups(
    { dataDir: env.dataDir, version, pause: createWritePause(db) },
    {
      onCreated: (backup) => log.info(backup, 'Backup made'),
      onError: (err) => log.error({ err }, 'The backup failed'),
      onLeftover: (err) => log.warn({ err }, 'An unfinished backup could not be removed'),
    },
  );
}

function printSetUpLink(env: Env, token: string | null): void {
  if (token === null) return;
  process.stdout.write(
    `\n  The owner's account (${env.owner.username}) has no password yet. Set one here:\n` +
      `    ${env.publicUrl}/reset-password?token=${token}&first\n` +
      `  The link works once, for ${SET_UP_TOKEN_TTL_HOURS} hours; the next start prints a new one.\n\n`,
  );
}
