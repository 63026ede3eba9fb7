import { createExportRunner } from '#api/accounts/leaving/export-runner.ts';
import { createAdminJobRunner } from '#api/admin/jobs/admin-job-runner.ts';
import { readServerKeys } from '#api/db/server-keys.ts';
import { createKeyedMutex } from '#api/http/limits/keyed-mutex.ts';
import { createLimits } from '#api/http/limits/limits.ts';
import { findOpenSessions } from '#api/http/session/sessions.ts';
import { createImagePipeline } from '#api/images/image-pipeline.ts';
import { createImageStore } from '#api/images/image-store.ts';
import { createSampleImages } from '#api/images/sample-images.ts';
import { createJobFiles } from '#api/jobs/job-files.ts';
import { createLiveHub } from '#api/live/live-hub.ts';
import { createMailRunner, randomDelay } from '#api/mail/mail-runner.ts';
import { createMailer } from '#api/mail/mail-transport.ts';
import { createUnsubscribeLinks } from '#api/mail/unsubscribe-links.ts';
import { composeDigest } from '#api/notifications/digest/compose-digest.ts';
import { composePush } from '#api/notifications/push/compose.ts';
import { createListCache } from '#api/polls/read-feed.ts';
import { createCardStore } from '#api/polls/sharing/card-store.ts';
import { createShareLinks } from '#api/polls/sharing/share-links.ts';
import { createPushRunner } from '#api/push/push-runner.ts';
import { createPushSender } from '#api/push/push-transport.ts';
import { readVapidKeys } from '#api/push/vapid-keys.ts';
import { imageFolders, openImageStorage } from '#api/storage/open-image-storage.ts';
import { checkS3 } from '#api/storage/s3-storage.ts';
import type { Deps, JobDeps } from './deps.ts';
import { DEFAULT_OWNER_EMAIL, type Env } from './env.ts';
import { readVersion } from './version.ts';

/** The dependencies that are created before all others. `db` is open and migrated. */
type Base = Pick<Deps, 'db' | 'replica' | 'log' | 'passwords'>;

/** Creates the dependencies of the server as `env` configures them. `startBackgroundWork` starts the runners among them. */
export async function createDeps(env: Env, base: Base): Promise<Deps> {
  const jobDeps = await createJobDeps(env, base);
  if (env.s3 !== null) {
    checkS3(env.s3).catch((err) => base.log.error({ err }, 'The bucket of the images cannot be used'));
  }
  return { ...jobDeps, jobs: createAdminJobRunner(jobDeps) };
}

/** Creates all dependencies except `jobs`, the runner of administrators' jobs, which uses the others. */
export async function createJobDeps(env: Env, { db, replica, log, passwords }: Base): Promise<JobDeps> {
  const imagePipeline = createImagePipeline();
  const images = createImageStore(await openImageStorage(env), imageFolders(env.dataDir).incoming);
  const { shareKey, unsubscribeKey } = await readServerKeys(db);
  const unsubscribeLinks = createUnsubscribeLinks(unsubscribeKey, env.publicUrl);
  const vapidKeys = env.push.keys ?? (await readVapidKeys(db));
  return {
    env,
    db,
    replica,
    log,
    limits: createLimits(db, { enabled: env.rateLimits }),
    passwords,
    imagePipeline,
    images,
    samples: createSampleImages(env.dataDir, { imagePipeline, incomingFolder: images.incomingFolder }),
    jobFiles: createJobFiles(env.dataDir),
    listCache: createListCache(),
    shareLinks: createShareLinks(shareKey, env.publicUrl),
    cards: await createCardStore(env.dataDir, { images, imagePipeline }),
    keyedMutex: createKeyedMutex(),
    unsubscribeLinks,
    mails: createMailRunner({
      db,
      mailer: createMailer(env, log),
      log,
      // Nobody reads this made-up address.
      exceptTo: DEFAULT_OWNER_EMAIL,
      digests: { compose: composeDigest, unsubscribeUrlOf: unsubscribeLinks.urlOf },
      // The delay prevents callers from inferring whether an account exists. Tests turn it off together with the limits.
      ...(env.rateLimits && { delay: () => randomDelay() }),
    }),
    pushes: {
      ...createPushRunner({
        db,
        log,
        sender: createPushSender({ ...env.push, keys: vapidKeys }),
        compose: composePush,
      }),
      publicKey: vapidKeys.publicKey,
    },
    exports: createExportRunner({ db, log, images, dataDir: env.dataDir }),
    live: createLiveHub({
      limited: env.rateLimits,
      findOpenSessions: (hashes) => findOpenSessions(db, hashes),
      onError: (err) => log.error({ err }, 'The sessions of the sockets could not be checked'),
    }),
    lifecycle: { isStopping: false },
    version: await readVersion(),
  };
}
