import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '#api/errors.ts';

const RETRY_AFTER_MS = 500;
const TRIES_MAX = 60;

export type ConcurrencyLimiter = ReturnType<typeof createConcurrencyLimiter>;

/**
 * Runs at most `concurrency` pieces of work at once; up to `queueMax` more wait in order of arrival. Work that has
 * started always runs to its end, so that a free slot is really free.
 */
export function createConcurrencyLimiter(options: {
  concurrency: number;
  queueMax: number;
  retryAfterSeconds: number;
}) {
  let running = 0;
  let started = 0;
  /** The functions that start the waiting callers. */
  const queue: (() => void)[] = [];

  function acquire(signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted();
    if (running < options.concurrency) {
      running += 1;
      return Promise.resolve();
    }
    if (queue.length >= options.queueMax) {
      throw new AppError('busy', { retryAfterSeconds: options.retryAfterSeconds });
    }
    return new Promise((resolve, reject) => {
      const start = () => {
        signal?.removeEventListener('abort', leave);
        resolve();
      };
      const leave = () => {
        queue.splice(queue.indexOf(start), 1);
        reject(signal?.reason);
      };
      queue.push(start);
      signal?.addEventListener('abort', leave);
    });
  }

  function release(): void {
    const next = queue.shift();
    if (next === undefined) running -= 1;
    else next();
  }

  return {
    /** The number of callers that wait for a slot. */
    waiting: () => queue.length,
    /**
     * Runs `work` when a slot is free. `wasAlone` returns whether no other work has run since `work` started. Rejects with
     * `busy` (503) when the queue is full, and with the reason of `signal` when it aborts before `work` starts.
     */
    async run<T>(work: (wasAlone: () => boolean) => Promise<T>, signal?: AbortSignal): Promise<T> {
      await acquire(signal);
      started += 1;
      const [ownNumber, startedAlone] = [started, running === 1];
      try {
        return await work(() => startedAlone && started === ownNumber);
      } finally {
        release();
      }
    },
  };
}

/**
 * Retries `work` while it throws `busy` (up to 60 times, half a second apart): for background work, which has to yield to
 * requests. Throws what `work` throws, and the reason of `signal` once it aborts.
 */
export async function retryWhileBusy<Result>(
  work: () => Promise<Result>,
  signal: AbortSignal,
): Promise<Result> {
  for (let tries = 1; ; tries += 1) {
    signal.throwIfAborted();
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'busy' || tries === TRIES_MAX) throw error;
    }
    await sleep(RETRY_AFTER_MS);
  }
}
