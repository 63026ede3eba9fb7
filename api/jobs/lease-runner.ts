import type { Logger } from 'pino';
import type { Database } from '#api/db/client.ts';
import { currentSpanContext, traceWork, withoutTrace } from '#api/tracing/spans.ts';
import { type Lease, leaseDue, type Queue, releaseAllLeases, renewLease } from './leases.ts';

const CHECK_INTERVAL_MS = 5_000;

/** Interrupts work: a stop was requested, the process is shutting down, or another process has the lease. */
export class HaltError extends Error {}

export type LeaseRunner = ReturnType<typeof createLeaseRunner>;

/**
 * Rows that never wait for rows of other lanes. `condition`: which rows belong to the lane, in SQL; `concurrency`: how many run
 * at a time.
 */
type Lane = { condition?: string; concurrency: number };

/** The trace of the request that last woke the runner, and so most likely queued the rows that are leased next. */
type Cause = ReturnType<typeof currentSpanContext>;

type LeaseRunnerOptions<Item extends Lease> = {
  db: Database;
  log: Logger;
  queue: Queue;
  lanes: readonly Lane[];
  /**
   * Does the work of a row and stores its outcome in the database. Errors are logged, and the row is leased again once its
   * lease has run out. `signal` aborts with a `HaltError`.
   */
  run(item: Item, signal: AbortSignal): Promise<void>;
  /** How long running work may continue after `stop` until its signal aborts. */
  stopWithinMs: number;
};

/**
 * Does the work of a queue. Any number of processes may do so on one database: each row is leased to one of them, which renews
 * the lease while it works. The rows of a dead process are leased again once their leases have run out.
 */
export function createLeaseRunner<Item extends Lease>(options: LeaseRunnerOptions<Item>) {
  const { db, log, queue, run, stopWithinMs } = options;
  const halting = new AbortController();
  let isStopped = false;
  let timer: NodeJS.Timeout | undefined;
  let started: Promise<void> = Promise.resolve();

  async function runOne(item: Item, cause: Cause): Promise<void> {
    const leaseLost = new AbortController();
    const renew = () =>
      renewLease(db, queue, item).then(
        (isOurs) => isOurs || leaseLost.abort(new HaltError('The lease was lost')),
        (err: unknown) => log.warn({ err, id: item.id }, `A lease of ${queue.table} could not be renewed`),
      );
    const renewing = setInterval(renew, (queue.leaseS * 1_000) / 3);
    try {
      const attributes = {
        'messaging.destination.name': queue.table,
        'messaging.message.id': String(item.id),
      };
      await traceWork({ name: `process ${queue.table}`, cause, attributes }, () =>
        run(item, AbortSignal.any([halting.signal, leaseLost.signal])),
      );
    } catch (err) {
      log.error({ err, id: item.id }, `The outcome of a row of ${queue.table} could not be stored`);
    } finally {
      clearInterval(renewing);
    }
  }

  function openLane({ concurrency, ...lane }: Lane) {
    let isRequested = false;
    let wokenBy: Cause = null;
    let rounds: Promise<void> | null = null;
    let stopWaiting = () => {};

    async function runDue(): Promise<void> {
      const inProgress = new Set<Promise<void>>();
      try {
        while (!isStopped) {
          const woken = Promise.withResolvers<void>();
          stopWaiting = woken.resolve;
          const cause = wokenBy;
          wokenBy = null;
          const limit = concurrency - inProgress.size;
          const leasing = limit === 0 ? [] : leaseDue<Item>(db, queue, { ...lane, limit });
          const leased = await Promise.resolve(leasing).catch((error: unknown) => {
            // Work in progress, which may hang, must not keep the lane from trying again.
            if (inProgress.size === 0) throw error;
            logLeaseError(error);
            return [];
          });
          for (const item of leased) {
            const running = runOne(item, cause).then(() => void inProgress.delete(running));
            inProgress.add(running);
          }
          if (inProgress.size === 0) return;
          // Slow work blocks only its own slot: rows are looked for again when any work ends, and when the runner is woken.
          await Promise.race([...inProgress, woken.promise]);
        }
      } finally {
        await Promise.all(inProgress);
      }
    }

    async function runRounds(): Promise<void> {
      while (isRequested && !isStopped) {
        isRequested = false;
        await runDue().catch(logLeaseError);
      }
      rounds = null;
    }

    const wake = () => {
      isRequested = true;
      wokenBy = currentSpanContext() ?? wokenBy;
      stopWaiting();
      rounds ??= withoutTrace(runRounds);
    };
    return { runDue, wake, currentRounds: () => rounds };
  }

  const logLeaseError = (err: unknown) => {
    db.noticeError(err);
    log.error({ err }, `Rows of ${queue.table} could not be leased`);
  };
  const lanes = options.lanes.map(openLane);
  const wake = () => {
    for (const lane of lanes) lane.wake();
  };

  return {
    /** Looks for work now instead of at the next interval. Call it after the commit that has queued a row. */
    wake,
    /** Does all work that is due, and resolves when none is left. */
    runDue: async (): Promise<void> => {
      await Promise.all(lanes.map((lane) => lane.runDue()));
    },
    /** Does due work, now and every few seconds. */
    start: (): void => {
      timer = setInterval(wake, CHECK_INTERVAL_MS);
      // No other process can use the embedded database: existing leases belong to a dead process.
      const released = db.kind === 'embedded' ? releaseAllLeases(db, queue) : Promise.resolve();
      started = released.catch(logLeaseError).then(wake);
    },
    /** Leases no more rows, and resolves when the running work has ended. */
    stop: async (): Promise<void> => {
      clearInterval(timer);
      isStopped = true;
      const halt = () => halting.abort(new HaltError('The process is shutting down'));
      const haltTimer = setTimeout(halt, stopWithinMs);
      await started;
      await Promise.all(lanes.map((lane) => lane.currentRounds()));
      clearTimeout(haltTimer);
      // Aborts the work of a call of `runDue`, which is not waited for.
      halt();
    },
  };
}
