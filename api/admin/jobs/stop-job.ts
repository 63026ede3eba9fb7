import { recordAudit } from '#api/admin/audit.ts';
import { inTransaction } from '#api/db/transaction.ts';
import type { Deps } from '#api/deps.ts';
import { requestStop, requireJob, toJob } from '#api/jobs/job-queue.ts';
import type { Job } from '#shared/admin/schema.ts';

/** How long to wait for the current part to end, so that the response usually shows the final state. */
const WAIT_MAX_MS = 3_000;

/**
 * Stops a job when its current part ends, which is then rolled back, and returns the job; a job that has ended remains
 * unchanged. Throws `not_found`.
 */
export async function stopJob({ db, jobs, jobFiles }: Deps, id: string, adminId: number): Promise<Job> {
  const stopped = await inTransaction(db, async (tx) => {
    const outcome = await requestStop(tx, id);
    if (outcome !== null) await recordAudit(tx, { adminId, action: 'job.stop', target: `job ${id}` });
    return outcome;
  });
  if (stopped?.hasEnded === true) await jobFiles.remove(id);
  await jobs.waitForEnd(id, AbortSignal.timeout(WAIT_MAX_MS)).catch(() => null);
  return toJob(await requireJob(db, id));
}
