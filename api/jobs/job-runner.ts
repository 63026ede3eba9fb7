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
import { giveBack, retryDelayS } from './leases.ts';

/** A job that found the database, the disk or the decoders away is tried so often, which takes a minute. */
const ATTEMPTS_MAX = 12;
const RETRY = { firstS: 5, maxS: 10 };
const OTHER_KINDS = jobKindSchema.options.filter((kind) => kind !== 'repair-images');
/**
 * A repair goes through all polls: nothing else is to wait behind it. Kinds that only a later release knows are left to its
 * processes.
 */
const LANES = [
  { only: "kind = 'repair-images'", atOnce: 1 },
  { only: `kind in (${OTHER_KINDS.map((kind) => `'${kind}'`).join()})`, atOnce: 1 },
];
const WAIT_LOOK_INTERVAL_MS = 500;
const RETRY_AFTER_S = 5;

/** A job as the one who does it sees it. */
export type JobTask = Omit<LeasedJob, 'stopAsked' | 'attempts'> & {
  /** Aborted when the job is not to go on here, for waits that may be left. */
  signal: AbortSignal;
  /**
   * Does a part of the work and notes it, in one transaction, so that no part is done twice or lost. Throws, with
   * nothing done, when the job is to go no further. The last part says how the job has ended. `files` are put in
   * place with it, or removed when it does not come to pass.
   */
  advance(part: (tx: Transaction) => Promise<JobStep>, files?: StagedImages): Promise<void>;
};

export type JobRunner = ReturnType<typeof createJobRunner>;

type JobRunnerOptions = {
  db: Database;
  log: Logger;
  /** Does a job, part by part, until one of them has ended it. */
  run(task: JobTask): Promise<void>;
  /** Called once a job of this process has ended, whichever way. */
  onEnd(jobId: string): Promise<void>;
  /** How long a job of a dead process lies idle. */
  leaseMs?: number;
};

/**
 * Does the administrators' long work, in each process one job of a lane at a time. At its end a process gives its jobs
 * back once the part under way has ended.
 */
export function createJobRunner(options: JobRunnerOptions) {
  const { db, log, run, onEnd, leaseMs } = options;
  const queue = leaseMs === undefined ? JOB_QUEUE : { ...JOB_QUEUE, leaseS: leaseMs / 1_000 };
  const stopping = new AbortController();
  let ended = Promise.withResolvers<void>();

  async function runOne(job: LeasedJob, signal: AbortSignal): Promise<void> {
    const advance: JobTask['advance'] = async (part, files) => {
      let isCommitting = false;
      try {
        signal.throwIfAborted();
        await inTransaction(db, async (tx) => {
          await files?.publish(tx);
          if (!(await advanceJob(tx, job, await part(tx)))) throw new HaltError('It is to stop, or not ours');
          isCommitting = true;
        });
      } catch (error) {
        // A commit whose response got lost may have happened: then the files stay, and the sweep has the last word.
        if (!isCommitting) await files?.discard();
        throw error;
      }
    };
    log.info({ jobId: job.id, kind: job.kind, done: job.done, total: job.total }, 'A job goes on');
    try {
      if (job.stopAsked) throw new HaltError('It is to stop');
      await run({ ...job, signal, advance });
    } catch (error) {
      await settle(job, error);
    } finally {
      await tellEnd(job.id);
    }
  }

  /** Stops a halted job or gives it back; tries a failed one again only if that may help. */
  async function settle(job: LeasedJob, error: unknown): Promise<void> {
    if (error instanceof HaltError) {
      if (!(await endJob(db, job, { state: 'stopped' }))) await giveBack(db, queue, job);
      return;
    }
    const { code, message } = toAppError(error);
    const attempts = job.attempts + 1;
    if ((code === 'unavailable' || code === 'busy') && attempts < ATTEMPTS_MAX) {
      log.warn({ err: error, jobId: job.id, attempts }, 'A job is tried again');
      await giveBack(db, queue, job, retryDelayS(attempts, RETRY));
      return;
    }
    log.error({ err: error, jobId: job.id }, 'A job failed');
    await endJob(db, job, { state: 'failed', message, code });
  }

  async function tellEnd(jobId: string): Promise<void> {
    const row = await findJob(db, jobId);
    if (row === null || !hasEnded(row)) return;
    await onEnd(jobId);
    ended.resolve();
    ended = Promise.withResolvers<void>();
  }

  const runner = createLeaseRunner({ db, log, queue, lanes: LANES, run: runOne, stopWithinMs: 0 });
  return {
    ...runner,
    stop: () => {
      stopping.abort();
      return runner.stop();
    },
    /**
     * The job once it has ended, whoever does it. Throws `not_found`, and `unavailable` when this process ends first;
     * `signal` lets a caller that is gone stop waiting. None of it touches the job.
     */
    waitForEnd: async (id: string, signal: AbortSignal): Promise<JobRow> => {
      const leaving = AbortSignal.any([signal, stopping.signal]);
      for (;;) {
        const next = ended.promise;
        const row = await requireJob(db, id);
        if (hasEnded(row)) return row;
        // Another process may be the one that does it.
        const look = sleep(WAIT_LOOK_INTERVAL_MS, null, { signal: leaving });
        await Promise.race([next, look]).catch((cause: unknown) => {
          throw new AppError('unavailable', {
            message: 'The server restarts. The work goes on in a moment.',
            retryAfterSeconds: RETRY_AFTER_S,
            cause,
          });
        });
      }
    },
  };
}
