import { setTimeout as sleep } from 'node:timers/promises';
import type { Handle } from '#api/db/client.ts';
import { AppError } from '#api/errors.ts';
import { findJob, hasEnded, type JobRow } from './job-queue.ts';

const LOOK_INTERVAL_MS = 500;
const RETRY_AFTER_S = 5;

/**
 * The job once it has ended, whichever process does it. `nextEnd` resolves when this one has ended any job. Throws
 * `not_found`, and `unavailable` once `signal` aborts. The job itself goes on whatever becomes of the waiting.
 */
export async function waitForEnd(
  handle: Handle,
  id: string,
  { signal, nextEnd }: { signal: AbortSignal; nextEnd(): Promise<void> },
): Promise<JobRow> {
  for (;;) {
    const next = nextEnd();
    const row = await findJob(handle, id);
    if (row === null) throw new AppError('not_found', { message: 'Job not found.' });
    if (hasEnded(row)) return row;
    await Promise.race([next, sleep(LOOK_INTERVAL_MS, null, { signal })]).catch((cause: unknown) => {
      throw new AppError('unavailable', {
        message: 'The server restarts. The work goes on in a moment.',
        retryAfterSeconds: RETRY_AFTER_S,
        cause,
      });
    });
  }
}
