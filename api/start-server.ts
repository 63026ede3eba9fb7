import { join, resolve } from 'node:path';
import { pino } from 'pino';
import { ensureOwner } from '#api/accounts/ensure-owner.ts';
import { createExportJob } from '#api/accounts/leaving/export-job.ts';
import { createJobs } from '#api/admin/jobs/create-jobs.ts';
import { pauseOf } from '#api/backup/create-backup.ts';
import { serveBackups } from '#api/backup/serve-backups.ts';
import { deleteDueAccounts } from '#api/housekeeping/due-deletions.ts';
import {
  everyHour,
  everyMinute,
  everyTenSeconds,
  startHousekeeping,
} from '#api/housekeeping/housekeeping.ts';
import { startImageSweeps } from '#api/housekeeping/image-sweep.ts';
import { createKeyedMutex } from '#api/http/limits/keyed-mutex.ts';
import { createLimits } from '#api/http/limits/limits.ts';
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
import { createMailJob, randomDelay } from '#api/mail/mail-job.ts';
import { createMailer } from '#api/mail/mail-transport.ts';
import { createUnsubscribeLinks, readUnsubscribeKey } from '#api/mail/unsubscribe-links.ts';
import { composeDigest } from '#api/notifications/digest/compose-digest.ts';
import { sendDigests } from '#api/notifications/digest/send-digests.ts';
import { notifyOfExpiry } from '#api/notifications/expiry.ts';
import { composePush } from '#api/notifications/push/compose.ts';
import { gatherPushes } from '#api/notifications/push/gather.ts';
import { createPasswordPool } from '#api/passwords/password-pool.ts';
import { createFeedBuffer } from '#api/polls/read-feed.ts';
import { createCardStore } from '#api/polls/sharing/card-store.ts';
import { createShareLinks, readShareKey } from '#api/polls/sharing/share-links.ts';
import { loadSharePages } from '#api/polls/sharing/share-page.ts';
import { createPushJob } from '#api/push/push-job.ts';
import { createPushSender } from '#api/push/push-transport.ts';
import { readVapidKeys } from '#api/push/vapid-keys.ts';
import { imageFolders, openImageStorage } from '#api/storage/open-image-storage.ts';
import { checkS3 } from '#api/storage/s3-storage.ts';
import { SET_UP_TOKEN_TTL_HOURS } from '#shared/accounts/constants.ts';
import { createApp } from './app.ts';
import { makeDataPrivate, prepareDataFolders } from './data-folders.ts';
import { openDatabase } from './db/open-database.ts';
import type { Deps, JobDeps } from './deps.ts';
import { configurationWarnings, DEFAULT_OWNER_EMAIL, type Env } from './env.ts';
import { createLog } from './http/logging/log.ts';
import { createHttpServer, ensureAddressIsFree } from './http/server/http-server.ts';
import { inStage } from './start-error.ts';
import { readVersion } from './version.ts';

const ROOT = resolve(import.meta.dirname, '..');

export type RunningServer = {
  /** Turns readiness off, finishes running requests and closes everything. */
  stop(): Promise<void>;
};

/** Opens and migrates the database and listens. When anything fails, closes everything and throws. */
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
    const images = createImageStore(await openImageStorage(env), imageFolders(env.dataDir).incoming);
    if (env.s3 !== null) {
      checkS3(env.s3).catch((err) => log.error({ err }, 'The bucket of the images cannot be used'));
    }
    const unsubscribeLinks = createUnsubscribeLinks(await readUnsubscribeKey(db), env.publicUrl);
    const vapidKeys = env.push.keys ?? (await readVapidKeys(db));
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
      shareLinks: createShareLinks(await readShareKey(db), env.publicUrl),
      cards: await createCardStore(env.dataDir, { images, imagePipeline }),
      keyedMutex: createKeyedMutex(),
      unsubscribeLinks,
      mails: createMailJob({
        db,
        mailer: createMailer(env, log),
        log,
        exceptTo: DEFAULT_OWNER_EMAIL,
        digests: { compose: composeDigest, unsubscribeUrlOf: unsubscribeLinks.urlOf },
        // Without limits there is nothing to hide, and those who test do not wait.
        ...(env.rateLimits && { delay: () => randomDelay() }),
      }),
      pushes: {
        ...createPushJob({
          db,
          log,
          sender: createPushSender({ ...env.push, keys: vapidKeys }),
          compose: composePush,
        }),
        publicKey: vapidKeys.publicKey,
      },
      exports: createExportJob({ db, log, images, dataDir: env.dataDir }),
      live: createLiveHub({
        limited: env.rateLimits,
        findOpenSessions: (hashes) => findOpenSessions(db, hashes),
        onError: (err) => log.error({ err }, 'The sessions of the sockets could not be checked'),
      }),
      lifecycle: { isStopping: false },
      version: await readVersion(),
    };
    const deps: Deps = { ...parts, jobs: createJobs(parts) };
    printSetUpLink(env, await ensureOwner(deps));
    const securityHeaders = await securityHeaderValues(env);
    const builtClient = join(ROOT, 'dist', 'app');
    const files = await loadStaticFiles(builtClient, securityHeaders);
    const sharePages = await loadSharePages(builtClient);
    const app = createApp(deps, files, sharePages);
    cleanup.defer(await startImageSweeps(deps, (err) => log.error({ err }, 'The sweep failed')));
    cleanup.defer(() => deps.mails.stop());
    deps.mails.start();
    cleanup.defer(() => deps.pushes.stop());
    deps.pushes.start();
    cleanup.defer(() => deps.exports.stop());
    deps.exports.start();
    cleanup.defer(() => deps.jobs.stop());
    deps.jobs.start();
    cleanup.defer(
      everyHour(
        () => deleteDueAccounts(deps),
        (err) => log.error({ err }, 'Accounts could not be deleted'),
      ),
    );
    cleanup.defer(
      everyMinute(
        () => notifyOfExpiry(deps),
        (err) => log.error({ err }, 'Makers of expired polls could not be told'),
      ),
    );
    cleanup.defer(
      everyMinute(
        () => sendDigests(deps),
        (err) => log.error({ err }, 'Weekly mails could not be queued'),
      ),
    );
    cleanup.defer(
      everyTenSeconds(
        () => gatherPushes(deps),
        (err) => log.error({ err }, 'Push messages could not be queued'),
      ),
    );
    cleanup.defer(startHousekeeping(deps, (err) => log.error({ err }, 'The housekeeping failed')));
    if (db.kind === 'embedded') cleanup.defer(await backUpOnRequest(deps));
    const http = createHttpServer(app.fetch, {
      log,
      connectionsMax: env.connectionsMax,
      isDirect: env.trustProxy === 0,
      securityHeaders,
      shouldUpgradeCallback: isSocketRequest,
    });
    acceptUpgrades(http.server, app.fetch, {
      open: (...connected) => openSocket(deps, ...connected),
      onError: (err) => log.error({ err }, 'An upgrade failed'),
    });
    if (db.kind === 'postgres') cleanup.defer(await relayLive(deps));
    await inStage('listening', () => http.listen(env));
    log.info({ address: env.publicUrl, database: db.kind }, `Listening on ${env.publicUrl}`);

    return {
      stop: async () => {
        deps.lifecycle.isStopping = true;
        await Promise.all([
          deps.live.stop(),
          deps.mails.stop(),
          deps.pushes.stop(),
          deps.exports.stop(),
          deps.jobs.stop(),
          http.finish(),
        ]);
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

function backUpOnRequest({ db, env, log, version }: Deps): Promise<() => Promise<void>> {
  return serveBackups(
    { dataDir: env.dataDir, version, pause: pauseOf(db) },
    {
      onCreated: (backup) => log.info(backup, 'Backup made'),
      onError: (err) => log.error({ err }, 'The backup failed'),
    },
  );
}

function printSetUpLink(env: Env, token: string | null): void {
  if (token === null) return;
  process.stdout.write(
    `\n  The owner's account (${env.owner.username}) has no password yet. Set one here:\n` +
      `    ${env.publicUrl}/reset-password?token=${token}\n` +
      `  The link works once, for ${SET_UP_TOKEN_TTL_HOURS} hours; the next start prints a new one.\n\n`,
  );
}
