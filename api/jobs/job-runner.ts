import type { Logger } from 'pino';
import type { Database } from '#api/db/client.ts';
import { inTransaction, type Transaction } from '#api/db/transaction.ts';
import type { AppError } from '#api/errors.ts';
import type { StagedImages } from '#api/images/image-store.ts';
import { createCoalescedRunner } from './coalesced-runner.ts';
import {
  advanceJob,
  endJob,
  findJob,
  giveJobBack,
  hasEnded,
  JOB_LANES,
  type JobLane,
  type JobRow,
  type JobStep,
  type LeasedJob,
  leaseJob,
  renewLease,
  voidLeases,
} from './job-queue.ts';
import { waitForEnd } from './job-wait.ts';

const LEASE_MS = 30_000;
const LOOK_INTERVAL_MS = 5_000;
/** So often a job that found the database, the disk or the decoders away is put back before it is given up. */
const TRIES_MAX = 12;

/** A job that goes no further here: it is to stop, the process is, or another one has it. */
class JobHalt extends Error {}

/** A job as the one who does it sees it. */
export type JobTask = Omit<LeasedJob, 'stopAsked'> & {
  /** Aborted when the job is not to go on here, for waits that may be left. */
  signal: AbortSignal;
  /**
   * Does a part of the work and notes it, in one transaction, so that no part is done twice or lost. Throws, with
   * nothing done, when the job is to go no further. The last part says how the job has ended. `files` are put in
   * place with it, or removed when it does not come to pass.
   */
  advance(part: (tx: Transaction) => Promise<JobStep>, files?: StagedImages): Promise<void>;
};

export type JobRunner = {
  /** Looks for jobs now instead of at the next round. Call it after the commit. */
  wake(): void;
  /** Does what is due, in each lane one job after the other, and resolves when nothing is left that is. */
  runDue(): Promise<void>;
  /** Does what is due, now and every few seconds. */
  start(): void;
  /** Ends the part under way, puts its job back, and takes no more. */
  stop(): Promise<void>;
  /**
   * The job once it has ended, whoever does it. Throws `not_found`, and `unavailable` when this process ends first;
   * `signal` lets a caller that is gone stop waiting. None of it touches the job.
   */
  waitForEnd(id: string, signal: AbortSignal): Promise<JobRow>;
};

type JobRunnerOptions = {
  db: Database;
  log: Logger;
  /** Does a job, part by part, until one of them has ended it. */
  run(task: JobTask): Promise<void>;
  /** Called once a job of this process has ended, whichever way. */
  onEnd(jobId: string): Promise<void>;
  /** What an error is for those who asked for the job. */
  toAppError(error: unknown): AppError;
  leaseMs?: number;
};

/**
 * Does the administrators' long work. Any number of processes may do so on one database: a job is leased to one of
 * them, a process does one of each lane at a time, and what a dying process leaves is taken up when its lease has run out.
 */
export function createJobRunner(options: JobRunnerOptions): JobRunner {
  const { db, log, run, onEnd, toAppError, leaseMs = LEASE_MS } = options;
  const stopping = new AbortController();
  const tries = new Map<string, number>();
  let timer: NodeJS.Timeout | undefined;
  let begun: Promise<void> = Promise.resolve();
  let ended = Promise.withResolvers<void>();

  async function runLane(lane: JobLane): Promise<void> {
    while (!stopping.signal.aborted) {
      const job = await leaseJob(db, lane, leaseMs / 1_000);
      if (job === null || (await runOne(job)) === 'put back') return;
    }
  }

  async function runOne(job: LeasedJob): Promise<'left' | 'put back'> {
    const lost = new AbortController();
    const renewing = setInterval(() => {
      renewLease(db, job, leaseMs / 1_000).then(
        (isOurs) => isOurs || lost.abort(new JobHalt('The job is not ours')),
        (err: unknown) => log.warn({ err, jobId: job.id }, 'The lease of a job could not be renewed'),
      );
    }, leaseMs / 3);
    const signal = AbortSignal.any([stopping.signal, lost.signal]);
    const advance: JobTask['advance'] = async (part, files) => {
      let isCommitting = false;
      try {
        signal.throwIfAborted();
        await inTransaction(db, async (tx) => {
          await files?.publish(tx);
          if (!(await advanceJob(tx, job, await part(tx)))) throw new JobHalt('It is to stop, or not ours');
          isCommitting = true;
        });
      } catch (error) {
        // A commit whose answer got lost may have happened: then the files stay, and the sweep has the last word.
        if (!isCommitting) await files?.discard();
        throw error;
      }
    };
    log.info({ jobId: job.id, kind: job.kind, done: job.done, total: job.total }, 'A job goes on');
    try {
      if (job.stopAsked) throw new JobHalt('It is to stop');
      await run({ ...job, signal, advance });
      tries.delete(job.id);
      return 'left';
    } catch (error) {
      return await settle(job, error);
    } finally {
      clearInterval(renewing);
      await tellEnd(job.id);
    }
  }

  /** A job that came to a halt is stopped or put back; one that failed is tried again only if that may help. */
  async function settle(job: LeasedJob, error: unknown): Promise<'left' | 'put back'> {
    if (error instanceof JobHalt) {
      if (!(await endJob(db, job, { state: 'stopped' }))) await giveJobBack(db, job);
      return 'left';
    }
    const { code, message } = toAppError(error);
    const count = (tries.get(job.id) ?? 0) + 1;
    if ((code === 'unavailable' || code === 'busy') && count < TRIES_MAX) {
      tries.set(job.id, count);
      log.warn({ err: error, jobId: job.id, count }, 'A job is tried again');
      await giveJobBack(db, job);
      return 'put back';
    }
    tries.delete(job.id);
    log.error({ err: error, jobId: job.id }, 'A job failed');
    await endJob(db, job, { state: 'failed', message, code });
    return 'left';
  }

  async function tellEnd(jobId: string): Promise<void> {
    const row = await findJob(db, jobId);
    if (row === null || !hasEnded(row)) return;
    await onEnd(jobId);
    ended.resolve();
    ended = Promise.withResolvers<void>();
  }

  const logTrouble = (error: unknown) => log.error({ err: error }, 'The jobs could not be looked after');
  const rounds = JOB_LANES.map((lane) =>
    createCoalescedRunner(() => runLane(lane).catch(logTrouble), stopping.signal),
  );
  const wake = () => {
    for (const each of rounds) each.wake();
  };

  return {
    wake,
    runDue: async () => {
      await Promise.all(JOB_LANES.map(runLane));
    },
    start: () => {
      timer = setInterval(wake, LOOK_INTERVAL_MS);
      // Nobody else can be at a job there: what is leased was left by a process that is gone.
      const voided = db.kind === 'embedded' ? voidLeases(db) : Promise.resolve();
      begun = voided.catch(logTrouble).then(wake);
    },
    stop: async () => {
      clearInterval(timer);
      stopping.abort(new JobHalt('The process ends'));
      await begun;
      await Promise.all(rounds.map((each) => each.underWay()));
    },
    waitForEnd: (id, signal) =>
      waitForEnd(db, id, {
        signal: AbortSignal.any([signal, stopping.signal]),
        nextEnd: () => ended.promise,
      }),
  };
}
