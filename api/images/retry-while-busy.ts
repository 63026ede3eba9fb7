import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '#api/errors.ts';

const RETRY_AFTER_MS = 500;
const TRIES_MAX = 60;

/**
 * Repeats `work` while it throws `busy` (up to 60 times, half a second apart): for background work, which gives way to
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
