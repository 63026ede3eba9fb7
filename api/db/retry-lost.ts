import { setTimeout as sleep } from 'node:timers/promises';
import { isConnectionLost } from './database-error.ts';

/** Long enough for the pool to notice its other lost connections. */
const DELAY_MS = 100;
/** One retry is not enough: the driver reports the end of a lost connection again on its next connection (postgres 3.4.9). */
const TRIES_MAX = 3;

/** Runs `work`. If its connection is lost, runs it again, up to twice, provided that `mayRetry` says it has had no effect. */
export async function retryLost<Result>(
  work: () => Promise<Result>,
  mayRetry: () => boolean = () => true,
): Promise<Result> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work();
    } catch (error) {
      if (tries === TRIES_MAX || !isConnectionLost(error) || !mayRetry()) throw error;
    }
    await sleep(DELAY_MS);
  }
}
