import type { Logger } from 'pino';
import type { Lifecycle } from '#api/http/app-env.ts';
import type { KeyedMutex } from '#api/http/limits/keyed-mutex.ts';
import type { Limits } from '#api/http/limits/limits.ts';
import type { ReadCache } from '#api/http/read-cache.ts';
import type { Reads } from '#api/http/replica-reads.ts';
import type { SessionReader } from '#api/http/session/sessions.ts';
import type { ImagePipeline } from '#api/images/image-pipeline.ts';
import type { ImageStore } from '#api/images/image-store.ts';
import type { SampleImages } from '#api/images/sample-images.ts';
import type { JobFiles } from '#api/jobs/job-files.ts';
import type { JobRunner } from '#api/jobs/job-runner.ts';
import type { LeaseRunner } from '#api/jobs/lease-runner.ts';
import type { LiveHub } from '#api/live/live-hub.ts';
import type { UnsubscribeLinks } from '#api/mail/unsubscribe-links.ts';
import type { PasswordPool } from '#api/passwords/password-pool.ts';
import type { VoteReader } from '#api/polls/poll-rows.ts';
import type { CardStore } from '#api/polls/sharing/card-store.ts';
import type { ShareLinks } from '#api/polls/sharing/share-links.ts';
import type { Database } from './db/client.ts';
import type { Replica } from './db/postgres/replica.ts';
import type { Env } from './env.ts';
import type { VoteWriter } from './polls/voting/vote-writer.ts';

export type Deps = {
  env: Env;
  /** The primary, for everything except what is read with `reads`. */
  db: Database;
  replica: Replica | null;
  log: Logger;
  limits: Limits;
  passwords: PasswordPool;
  imagePipeline: ImagePipeline;
  images: ImageStore;
  /** The illustrations of sample polls. */
  samples: SampleImages;
  /** Files uploaded for jobs. */
  jobFiles: JobFiles;
  /** The cache of reads that many viewers share: the feed, trending polls, searches, and the images of removed polls. */
  listCache: ReadCache;
  shareLinks: ShareLinks;
  /** The card images of share links. */
  cards: CardStore;
  /** Runs the creations of polls under one idempotency key one after another. */
  keyedMutex: KeyedMutex;
  /** Sends changes to open sockets. */
  live: LiveHub;
  mails: LeaseRunner;
  /** The links to unsubscribe from the weekly mail. */
  unsubscribeLinks: UnsubscribeLinks;
  /** Sends push messages to devices, which subscribe with the public key. */
  pushes: LeaseRunner & { publicKey: string };
  /** Writes the data exports of users. */
  exports: LeaseRunner;
  /** Runs the jobs that administrators start. */
  jobs: JobRunner;
  lifecycle: Lifecycle;
  version: string;
};

export type JobDeps = Omit<Deps, 'jobs'>;

/** A database from which lists of polls are read (that of the primary or of the replica), with its cache and its reader of votes. */
export type ListSource = { db: Database; listCache: Pick<ReadCache, 'read'>; voteReader: VoteReader };

/** `Deps`, and what each app creates for itself to read sessions and lists and to write votes. */
export type AppDeps = Deps & {
  sessionReader: SessionReader;
  reads: Reads<ListSource>;
  voteWriter: VoteWriter;
};
