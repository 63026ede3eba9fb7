import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '#api/errors.ts';
import { type Caller, networksOf } from '#api/http/client-address.ts';
import { createFairQueue } from '#api/http/limits/fair-queue.ts';

const RETRY_AFTER_MS = 500;
const TRIES_MAX = 60;

/** The `client` of background work, which takes turns with the networks of the callers. */
export const BACKGROUND = 'background';

export type ConcurrencyLimiter = ReturnType<typeof createConcurrencyLimiter>;

/**
 * Runs at most `concurrency` pieces of work at once; up to `queueMax` more wait in a fair queue. Work that has started always
 * runs to its end, so that a free slot is really free.
 */
export function createConcurrencyLimiter(options: Parameters<typeof createFairQueue>[0]) {
  const queue = createFairQueue(options);
  let running = 0;
  let started = 0;

  return {
    /** The number of callers that wait for a slot. */
    waiting: queue.waiting,
    /**
     * Runs `work` when a slot is free. `wasAlone` returns whether no other work has run since `work` started. Rejects with
     * `busy` (503) when the queue is full, and with the reason of the caller's `signal` when it aborts before `work` starts.
     */
    async run<T>(
      work: (wasAlone: () => boolean) => Promise<T>,
      { client, signal }: Caller = { client: BACKGROUND },
    ): Promise<T> {
      let isWaiting = true;
      const countAndWork = async () => {
        isWaiting = false;
        running += 1;
        started += 1;
        const [ownNumber, startedAlone] = [started, running === 1];
        try {
          return await work(() => startedAlone && started === ownNumber);
        } finally {
          running -= 1;
        }
      };
      try {
        return await queue.run(networksOf(client).toReversed(), countAndWork, signal);
      } catch (error) {
        if (isWaiting) signal?.throwIfAborted();
        throw error;
      }
    },
  };
}

/**
 * Retries `work` while it throws `busy` (up to 60 times, half a second apart): for background work, which can wait.
 * Throws what `work` throws, and the reason of `signal` once it aborts.
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
