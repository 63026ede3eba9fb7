import * as z from 'zod/mini';
import type { Deps } from '#api/deps.ts';
import { AppError } from '#api/errors.ts';
import type { JobRow } from '#api/jobs/job-queue.ts';
import {
  type ImagesRepaired,
  imagesRepairedSchema,
  type JobKind,
  type PollsCreated,
  pollsCreatedSchema,
} from '#shared/admin/schema.ts';
import { errorCodeSchema } from '#shared/errors.ts';

/** By then the runner has tried for a minute itself. */
const RETRY_AFTER_S = 30;

const resultSchema = z.union([imagesRepairedSchema, pollsCreatedSchema]);
const repairedSchema = z.object({ repaired: z.int() });

/**
 * What a job came to, once it has ended; of one that was stopped, what it had made by then. `signal` aborts when the
 * caller is gone. Throws what the job failed with.
 */
export async function awaitJob(
  { jobs }: Pick<Deps, 'jobs'>,
  job: { id: string; kind: JobKind },
  signal: AbortSignal,
): Promise<PollsCreated | ImagesRepaired> {
  const row = await jobs.waitForEnd(job.id, signal);
  if (row.state === 'done') return resultSchema.parse(row.result);
  const message = row.message ?? '';
  if (row.state === 'failed') {
    const code = errorCodeSchema.parse(row.code);
    const isPassing = code === 'busy' || code === 'unavailable';
    throw new AppError(code, { message, ...(isPassing && { retryAfterSeconds: RETRY_AFTER_S }) });
  }
  return { ...madeSoFar(job.kind, row), message };
}

function madeSoFar(kind: JobKind, { done, place }: JobRow) {
  switch (kind) {
    case 'bulk-upload':
      return { pollsCreated: 0 };
    case 'generate-polls':
      return { pollsCreated: done };
    case 'repair-images':
      return { checked: done, repaired: place === null ? 0 : repairedSchema.parse(place).repaired };
  }
}
