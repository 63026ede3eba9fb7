import { recordAudit } from '#api/admin/audit.ts';
import { inTransaction } from '#api/db/transaction.ts';
import type { Deps } from '#api/deps.ts';
import { requestStop, requireJob, toJob } from '#api/jobs/job-queue.ts';
import type { Job } from '#shared/admin/schema.ts';

/** How long to wait for the current part to end, so that the response usually shows the final state. */
const WAIT_MAX_MS = 3_000;

/**
 * Requests that a job stops: a waiting job ends at once, a running one when its current part ends, and that part is rolled back.
 * A job that has ended remains unchanged. Returns the job, which may still be running. Throws `not_found`.
 */
export async function stopJob({ db, jobs, jobFiles }: Deps, id: string, adminId: number): Promise<Job> {
  const request = await inTransaction(db, async (tx) => {
    const requested = await requestStop(tx, id);
    if (requested !== null) await recordAudit(tx, { adminId, action: 'job.stop', target: `job ${id}` });
    return requested;
  });
  if (request?.hasEnded === true) await jobFiles.remove(id);
  await jobs.waitForEnd(id, AbortSignal.timeout(WAIT_MAX_MS)).catch(() => null);
  return toJob(await requireJob(db, id));
}
