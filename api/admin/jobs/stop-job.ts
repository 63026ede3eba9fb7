import { setTimeout as sleep } from 'node:timers/promises';
import { recordAudit } from '#api/admin/audit.ts';
import { inTransaction } from '#api/db/transaction.ts';
import type { Deps } from '#api/deps.ts';
import { askStop, findJob, hasEnded, toJob } from '#api/jobs/job-queue.ts';
import type { Job } from '#shared/admin/schema.ts';
import { jobNotFound } from './read-job.ts';

/** For the item under way to end, so that the answer mostly has the job as it has ended. */
const WAIT_MAX_MS = 3_000;
const LOOK_INTERVAL_MS = 100;

/**
 * Stops a job between two of its items and returns it; one that has ended stays as it is. Throws `not_found`.
 */
export async function stopJob(
  { db, jobFiles }: Pick<Deps, 'db' | 'jobFiles'>,
  { id, adminId }: { id: string; adminId: number },
): Promise<Job> {
  const asked = await inTransaction(db, async (tx) => {
    const outcome = await askStop(tx, id);
    if (outcome !== null) await recordAudit(tx, { adminId, action: 'job.stop', target: `job ${id}` });
    return outcome;
  });
  if (asked?.hasEnded === true) await jobFiles.remove(id);
  const deadlineMs = performance.now() + WAIT_MAX_MS;
  for (;;) {
    const row = await findJob(db, id);
    if (row === null) throw jobNotFound();
    if (hasEnded(row) || performance.now() > deadlineMs) return toJob(row);
    await sleep(LOOK_INTERVAL_MS);
  }
}
