import type { Logger } from 'pino';
import type { Database } from './db/client.ts';
import type { Env } from './env.ts';
import type { FeedBuffer } from './services/feed-buffer.ts';
import type { ImagePipeline } from './services/image-pipeline.ts';
import type { ImageStore } from './services/image-store.ts';
import type { JobFiles } from './services/job-files.ts';
import type { JobRunner } from './services/job-runner.ts';
import type { Limits } from './services/limits.ts';
import type { LiveHub } from './services/live-hub.ts';
import type { MailJob } from './services/mail-job.ts';
import type { PasswordPool } from './services/password-pool.ts';
import type { SamplePictures } from './services/sample-pictures.ts';
import type { Turns } from './services/turns.ts';

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
  feed: FeedBuffer;
  turns: Turns;
  /** Tells the open sockets what has changed. */
  live: LiveHub;
  mails: MailJob;
  /** The long work of administrators. */
  jobs: JobRunner;
  /** Turned on when the process begins to shut down: readiness goes, work under way is finished. */
  lifecycle: { isStopping: boolean };
  /** The version in package.json. */
  version: string;
};
