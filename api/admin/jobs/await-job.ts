import type * as z from 'zod/mini';
import type { Deps } from '#api/deps.ts';
import { AppError } from '#api/errors.ts';
import type { JobRow } from '#api/jobs/job-queue.ts';
import type { JobKind } from '#shared/admin/schema.ts';
import { errorCodeSchema } from '#shared/errors.ts';
import { placeSchema } from './repair-images.ts';

/**
 * Longer than for other calls: the runner has already retried the job for one to two minutes, except a repair that found the
 * image storage unavailable, which is not retried.
 */
const RETRY_AFTER_S = 30;

/** A job that was started, with the schema of its result. */
export type StartedJob<Result> = { id: string; kind: JobKind; resultSchema: z.ZodMiniType<Result> };

/**
 * Waits until a job has ended and returns its result; for a stopped job, the result so far. `signal` aborts when the caller
 * disconnects. Throws the error that the job failed with.
 */
export async function awaitJob<Result>(
  { jobs }: Deps,
  { id, kind, resultSchema }: StartedJob<Result>,
  signal: AbortSignal,
): Promise<Result> {
  const row = await jobs.waitForEnd(id, signal);
  if (row.state === 'done') return resultSchema.parse(row.result);
  const message = row.message ?? '';
  if (row.state === 'failed') {
    const code = errorCodeSchema.parse(row.code);
    const isTransient = code === 'busy' || code === 'unavailable';
    throw new AppError(code, { message, ...(isTransient && { retryAfterSeconds: RETRY_AFTER_S }) });
  }
  return resultSchema.parse({ ...resultSoFar(kind, row), message });
}

function resultSoFar(kind: JobKind, { done, place }: JobRow) {
  switch (kind) {
    case 'bulk-upload':
      // A bulk upload creates all of its polls or none.
      return { pollsCreated: 0 };
    case 'generate-polls':
      return { pollsCreated: done };
    case 'repair-images':
      return { checked: done, repaired: place === null ? 0 : placeSchema.parse(place).repaired };
  }
}
