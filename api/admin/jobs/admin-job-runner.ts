import { generatePolls } from '#api/admin/bulk/generate-polls.ts';
import { uploadPolls } from '#api/admin/bulk/upload-polls.ts';
import type { JobDeps } from '#api/deps.ts';
import { createJobRunner, type JobRunner, type RunningJob } from '#api/jobs/job-runner.ts';
import type { JobKind } from '#shared/admin/schema.ts';
import { repairImages } from './repair-images.ts';

const WORK: Readonly<Record<JobKind, (deps: JobDeps, job: RunningJob) => Promise<void>>> = {
  'bulk-upload': uploadPolls,
  'repair-images': repairImages,
  'generate-polls': generatePolls,
};

/** Creates the runner of administrators' jobs, with the work of each kind of job. */
export function createAdminJobRunner(deps: JobDeps): JobRunner {
  const { db, log, jobFiles } = deps;
  return createJobRunner({ db, log, run: (job) => WORK[job.kind](deps, job), onEnd: jobFiles.remove });
}
