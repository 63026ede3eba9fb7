import { generatePolls } from '#api/admin/bulk/generate-polls.ts';
import { uploadPolls } from '#api/admin/bulk/upload-polls.ts';
import type { JobDeps } from '#api/deps.ts';
import { toAppError } from '#api/http/error-mapping.ts';
import { createJobRunner, type JobRunner, type JobTask } from '#api/jobs/job-runner.ts';
import { repairImages } from './repair-images.ts';

/** Does a job of any kind. */
export function runJob(deps: JobDeps, task: JobTask): Promise<void> {
  switch (task.kind) {
    case 'bulk-upload':
      return uploadPolls(deps, task);
    case 'repair-images':
      return repairImages(deps, task);
    case 'generate-polls':
      return generatePolls(deps, task);
  }
}

/** The runner that does the jobs of this process. `leaseMs`: how long one of a dead process lies idle. */
export function createJobs(deps: JobDeps, { leaseMs }: { leaseMs?: number } = {}): JobRunner {
  return createJobRunner({
    db: deps.db,
    log: deps.log,
    run: (task) => runJob(deps, task),
    onEnd: (id) => deps.jobFiles.remove(id),
    toAppError,
    ...(leaseMs !== undefined && { leaseMs }),
  });
}
