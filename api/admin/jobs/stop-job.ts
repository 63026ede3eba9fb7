import { recordAudit } from '#api/admin/audit.ts';
import { inTransaction } from '#api/db/transaction.ts';
import type { Deps } from '#api/deps.ts';
import { askStop, requireJob, toJob } from '#api/jobs/job-queue.ts';
import type { Job } from '#shared/admin/schema.ts';

/** Time for the running item to end, so that the response usually shows the final state. */
const WAIT_MAX_MS = 3_000;

/** Stops a job between two of its items and returns it; one that has ended stays as it is. Throws `not_found`. */
export async function stopJob({ db, jobs, jobFiles }: Deps, id: string, adminId: number): Promise<Job> {
  const asked = await inTransaction(db, async (tx) => {
    const outcome = await askStop(tx, id);
    if (outcome !== null) await recordAudit(tx, { adminId, action: 'job.stop', target: `job ${id}` });
    return outcome;
  });
  if (asked?.hasEnded === true) await jobFiles.remove(id);
  await jobs.waitForEnd(id, AbortSignal.timeout(WAIT_MAX_MS)).catch(() => null);
  return toJob(await requireJob(db, id));
}
