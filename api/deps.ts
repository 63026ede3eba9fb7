import type { Logger } from 'pino';
import type { Lifecycle } from '#api/http/end-connections.ts';
import type { KeyedMutex } from '#api/http/limits/keyed-mutex.ts';
import type { Limits } from '#api/http/limits/limits.ts';
import type { ReadBuffer } from '#api/http/read-buffer.ts';
import type { ImagePipeline } from '#api/images/image-pipeline.ts';
import type { ImageStore } from '#api/images/image-store.ts';
import type { SamplePictures } from '#api/images/sample-images.ts';
import type { JobFiles } from '#api/jobs/job-files.ts';
import type { JobRunner } from '#api/jobs/job-runner.ts';
import type { LiveHub } from '#api/live/live-hub.ts';
import type { MailJob } from '#api/mail/mail-job.ts';
import type { PasswordPool } from '#api/passwords/password-pool.ts';
import type { Database } from './db/client.ts';
import type { Env } from './env.ts';

/** Everything that the application needs from outside. */
export type Deps = {
  env: Env;
  db: Database;
  log: Logger;
  limits: Limits;
  passwords: PasswordPool;
  pictures: ImagePipeline;
  images: ImageStore;
  /** The drawings that sample polls show. */
  samples: SamplePictures;
  /** What is uploaded for jobs. */
  jobFiles: JobFiles;
  /** What of the feed is the same for every viewer. */
  feed: ReadBuffer;
  keyedMutex: KeyedMutex;
  /** Tells the open sockets what has changed. */
  live: LiveHub;
  mails: MailJob;
  /** The long work of administrators. */
  jobs: JobRunner;
  lifecycle: Lifecycle;
  /** The version in package.json. */
  version: string;
};
