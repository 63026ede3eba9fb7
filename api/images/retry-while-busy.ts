import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '#api/errors.ts';

const RETRY_AFTER_MS = 500;
const TRIES_MAX = 60;

/**
 * Does `work`, again and again as long as it is refused with `busy`: for work in the background, which may wait
 * behind what people wait for. Throws what `work` throws, and the reason of `signal` once it aborts.
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
