import type { Deps } from '#api/deps.ts';
import { findNewestJobs, toJob } from '#api/jobs/job-queue.ts';
import type { Job } from '#shared/admin/schema.ts';

/** The newest jobs, newest first. */
export async function listJobs({ db }: Deps): Promise<Job[]> {
  return (await findNewestJobs(db)).map(toJob);
}
