import type { Logger } from 'pino';
import type { Database } from '#api/db/client.ts';
import { currentCause, outsideOfTraces, traceWork } from '#api/tracing/spans.ts';
import { type Lease, leaseDue, type Queue, renewLease, voidLeases } from './leases.ts';

const LOOK_INTERVAL_MS = 5_000;

/** Work that goes no further here: it is to stop, the process is, or another one has it. */
export class HaltError extends Error {}

export type LeaseRunner = ReturnType<typeof createLeaseRunner>;

/** Rows that do not wait for those of other lanes: `only` is a condition in SQL, `atOnce` are under way at a time. */
type Lane = { only?: string; atOnce: number };

/** The request that has woken the runner last, and so has most likely queued what is leased next. */
type Cause = ReturnType<typeof currentCause>;

type LeaseRunnerOptions<Item extends Lease> = {
  db: Database;
  log: Logger;
  queue: Queue;
  lanes: readonly Lane[];
  /**
   * Does one, and says in the database what became of it. What it throws is logged, and the row is left to whoever
   * finds its lease run out. `signal` aborts with a `HaltError`.
   */
  run(item: Item, signal: AbortSignal): Promise<void>;
  /** What is under way when the process ends has so long until its signal aborts. */
  stopWithinMs: number;
};

/**
 * Does the work of a queue. Any number of processes may do so on one database: a row is leased to one of them, which
 * renews the lease as long as it is at work; what a dying process leaves is taken up when its lease has run out.
 */
export function createLeaseRunner<Item extends Lease>(options: LeaseRunnerOptions<Item>) {
  const { db, log, queue, run, stopWithinMs } = options;
  const halting = new AbortController();
  let isStopped = false;
  let timer: NodeJS.Timeout | undefined;
  let begun: Promise<void> = Promise.resolve();

  async function runOne(item: Item, cause: Cause): Promise<void> {
    const lost = new AbortController();
    const renew = () =>
      renewLease(db, queue, item).then(
        (isOurs) => isOurs || lost.abort(new HaltError('Another process has it')),
        (err: unknown) => log.warn({ err, id: item.id }, `A lease of ${queue.table} could not be renewed`),
      );
    const renewing = setInterval(renew, (queue.leaseS * 1_000) / 3);
    try {
      const attributes = {
        'messaging.destination.name': queue.table,
        'messaging.message.id': String(item.id),
      };
      await traceWork({ name: `process ${queue.table}`, cause, attributes }, () =>
        run(item, AbortSignal.any([halting.signal, lost.signal])),
      );
    } catch (err) {
      log.error({ err, id: item.id }, `What became of a row of ${queue.table} could not be noted`);
    } finally {
      clearInterval(renewing);
    }
  }

  function openLane({ atOnce, ...lane }: Lane) {
    let isAsked = false;
    let wokenBy: Cause = null;
    let rounds: Promise<void> | null = null;
    let lookAgain = () => {};

    async function runDue(): Promise<void> {
      const underWay = new Set<Promise<void>>();
      try {
        while (!isStopped) {
          const woken = Promise.withResolvers<void>();
          lookAgain = woken.resolve;
          const cause = wokenBy;
          wokenBy = null;
          const limit = atOnce - underWay.size;
          for (const item of limit === 0 ? [] : await leaseDue<Item>(db, queue, { ...lane, limit })) {
            const running = runOne(item, cause).then(() => void underWay.delete(running));
            underWay.add(running);
          }
          if (underWay.size === 0) return;
          // What is slow takes one place and no more: whichever ends first makes room, also for what comes meanwhile.
          await Promise.race([...underWay, woken.promise]);
        }
      } finally {
        await Promise.all(underWay);
      }
    }

    async function runRounds(): Promise<void> {
      while (isAsked && !isStopped) {
        isAsked = false;
        await runDue().catch(logTrouble);
      }
      rounds = null;
    }

    const wake = () => {
      isAsked = true;
      wokenBy = currentCause() ?? wokenBy;
      lookAgain();
      rounds ??= outsideOfTraces(runRounds);
    };
    return { runDue, wake, underWay: () => rounds };
  }

  const logTrouble = (err: unknown) => {
    db.noticeError(err);
    log.error({ err }, `No work could be taken from ${queue.table}`);
  };
  const lanes = options.lanes.map(openLane);
  const wake = () => {
    for (const lane of lanes) lane.wake();
  };

  return {
    /** Looks for work now instead of at the next round. Call it after the commit. */
    wake,
    /** Does what is due and resolves when nothing is left that is. */
    runDue: async (): Promise<void> => {
      await Promise.all(lanes.map((lane) => lane.runDue()));
    },
    /** Does what is due, now and every few seconds. */
    start: (): void => {
      timer = setInterval(wake, LOOK_INTERVAL_MS);
      // Nobody else can be at work there: what is leased was left by a process that is gone.
      const voided = db.kind === 'embedded' ? voidLeases(db, queue) : Promise.resolve();
      begun = voided.catch(logTrouble).then(wake);
    },
    /** Takes no more, and resolves when what is under way has ended. */
    stop: async (): Promise<void> => {
      clearInterval(timer);
      isStopped = true;
      const halt = () => halting.abort(new HaltError('The process ends'));
      const cutOff = setTimeout(halt, stopWithinMs);
      await begun;
      await Promise.all(lanes.map((lane) => lane.underWay()));
      clearTimeout(cutOff);
      halt();
    },
  };
}
