import type { Deps } from '#api/deps.ts';
import { AppError } from '#api/errors.ts';
import { findJob, toJob } from '#api/jobs/job-queue.ts';
import type { Job } from '#shared/admin/schema.ts';

/** How far a job is. Throws `not_found`. */
export async function readJob({ db }: Deps, id: string): Promise<Job> {
  const row = await findJob(db, id);
  if (row === null) throw new AppError('not_found', { message: 'Job not found.' });
  return toJob(row);
}
