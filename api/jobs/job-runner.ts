import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Database } from '#api/db/client.ts';
import { inTransaction, type Transaction } from '#api/db/transaction.ts';
import { AppError } from '#api/errors.ts';
import { toAppError } from '#api/http/error-mapping.ts';
import type { StagedImages } from '#api/images/image-store.ts';
import { jobKindSchema } from '#shared/admin/schema.ts';
import {
  advanceJob,
  endJob,
  findJob,
  hasEnded,
  JOB_QUEUE,
  type JobRow,
  type JobStep,
  type LeasedJob,
  requireJob,
} from './job-queue.ts';
import { createLeaseRunner, HaltError } from './lease-runner.ts';
import { releaseLease, retryDelayS } from './leases.ts';

/**
 * Consecutive attempts at a job, without progress, while the database, the disk or the decoders are unavailable (together they
 * take one to two minutes), or whose processes were killed.
 */
const ATTEMPTS_MAX = 12;
const RETRY = { firstS: 5, maxS: 10 };
const OTHER_KINDS = jobKindSchema.options.filter((kind) => kind !== 'repair-images');
/**
 * A repair checks all polls, so it has a separate lane: other jobs do not wait for it. Kinds that only a later release knows
 * are left to its processes.
 */
const LANES = [
  { condition: "kind = 'repair-images'", concurrency: 1 },
  { condition: `kind in (${OTHER_KINDS.map((kind) => `'${kind}'`).join()})`, concurrency: 1 },
];
const END_CHECK_INTERVAL_MS = 500;
const RETRY_AFTER_S = 5;

/** A job as its work function sees it. */
export type RunningJob = Omit<LeasedJob, 'stopAsked' | 'attempts'> & {
  /** Aborts when this process must not continue the job, so that the work can stop waiting. */
  signal: AbortSignal;
  /**
   * Runs a part of the work and stores the progress in the same transaction, so that no part is done twice or lost. Throws,
   * without an effect, if this process must not continue the job. The last part returns the `end` of the job. `files` are
   * published in the transaction, and removed if it fails.
   */
  advance(part: (tx: Transaction) => Promise<JobStep>, files?: StagedImages): Promise<void>;
};

export type JobRunner = ReturnType<typeof createJobRunner>;

type JobRunnerOptions = {
  db: Database;
  log: Logger;
  /** Does the work of a job, part by part, until a part has ended it. */
  run(job: RunningJob): Promise<void>;
  /** Called when a job that this process worked on is in a final state. */
  onEnd(jobId: string): Promise<void>;
  /** How long a lease lasts, and so how long the job of a dead process waits. */
  leaseMs?: number;
};

/**
 * Runs the jobs of administrators, in each process one job per lane at a time. A process that shuts down first finishes a part
 * that is being committed, and abandons any other; then it releases its jobs.
 */
export function createJobRunner(options: JobRunnerOptions) {
  const { db, log, run, onEnd, leaseMs } = options;
  const queue = leaseMs === undefined ? JOB_QUEUE : { ...JOB_QUEUE, leaseS: leaseMs / 1_000 };
  const stopping = new AbortController();
  /** Resolves when a job ends in this process, and is then replaced. */
  let nextEnd = Promise.withResolvers<void>();

  async function runOne(job: LeasedJob, signal: AbortSignal): Promise<void> {
    const advance: RunningJob['advance'] = async (part, files) => {
      let isCommitting = false;
      try {
        signal.throwIfAborted();
        await inTransaction(db, async (tx) => {
          await files?.publish(tx);
          if (!(await advanceJob(tx, job, await part(tx))))
            throw new HaltError('The lease was lost or a stop requested');
          isCommitting = true;
        });
      } catch (error) {
        // If only the response to the commit was lost, polls may refer to the files. If none does, the sweep removes them.
        if (!isCommitting) await files?.discard();
        throw error;
      }
    };
    log.info(
      { jobId: job.id, kind: job.kind, done: job.done, total: job.total },
      'A job is started or resumed',
    );
    try {
      if (job.stopAsked) throw new HaltError('A stop was requested');
      // After other failed attempts, `handleError` ends the job.
      if (job.attempts >= ATTEMPTS_MAX) throw new Error('The last attempt ended without an outcome');
      await run({ ...job, signal, advance });
    } catch (error) {
      await handleError(job, error);
    } finally {
      await announceEnd(job.id);
    }
  }

  /** After a `HaltError`: ends the job as stopped, or releases it. After another error: retries the job if that may help. */
  async function handleError(job: LeasedJob, error: unknown): Promise<void> {
    if (error instanceof HaltError) {
      if (!(await endJob(db, job, { state: 'stopped' }))) await releaseLease(db, queue, job);
      return;
    }
    const { code, message } = toAppError(error);
    const row = await requireJob(db, job.id).catch((readError: unknown) => {
      // The job remains leased, and is retried once its lease has run out.
      log.warn({ err: error, jobId: job.id }, 'A job will be retried');
      throw readError;
    });
    const attempts = row.attempts + 1;
    if ((code === 'unavailable' || code === 'busy') && attempts < ATTEMPTS_MAX) {
      log.warn({ err: error, jobId: job.id, attempts }, 'A job will be retried');
      await releaseLease(db, queue, job, retryDelayS(attempts, RETRY));
      return;
    }
    log.error({ err: error, jobId: job.id }, 'A job failed');
    await endJob(db, job, { state: 'failed', message, code });
  }

  /** If a job has ended: calls `onEnd`, and wakes the calls of `waitForEnd`. */
  async function announceEnd(jobId: string): Promise<void> {
    const row = await findJob(db, jobId);
    if (row === null || !hasEnded(row)) return;
    await onEnd(jobId);
    nextEnd.resolve();
    nextEnd = Promise.withResolvers<void>();
  }

  const runner = createLeaseRunner({ db, log, queue, lanes: LANES, run: runOne, stopWithinMs: 0 });
  return {
    ...runner,
    stop: () => {
      stopping.abort();
      return runner.stop();
    },
    /**
     * Waits until the job has ended in any process, and returns it. Throws `not_found`, and `unavailable` if this process shuts
     * down or `signal` aborts first. The job itself is not affected.
     */
    waitForEnd: async (id: string, signal: AbortSignal): Promise<JobRow> => {
      const leaving = AbortSignal.any([signal, stopping.signal]);
      for (;;) {
        // Taken before the row is read, so that an end in between is noticed at once.
        const someEnd = nextEnd.promise;
        const row = await requireJob(db, id);
        if (hasEnded(row)) return row;
        // Reads the row again at intervals, because another process may be running the job.
        const nextCheck = sleep(END_CHECK_INTERVAL_MS, null, { signal: leaving });
        await Promise.race([someEnd, nextCheck]).catch((cause: unknown) => {
          throw new AppError('unavailable', {
            message: 'The server is restarting. The work continues in a moment.',
            retryAfterSeconds: RETRY_AFTER_S,
            cause,
          });
        });
      }
    },
  };
}
