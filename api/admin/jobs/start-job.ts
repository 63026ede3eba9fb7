import { v7 as uuidv7 } from 'uuid';
import { recordAudit } from '#api/admin/audit.ts';
import { isStillAdmin } from '#api/admin/queries.ts';
import { inTransaction } from '#api/db/transaction.ts';
import type { Deps } from '#api/deps.ts';
import { AppError } from '#api/errors.ts';
import { insertJob, isJobOf, type NewJob } from '#api/jobs/job-queue.ts';

export type StartDeps = Deps;
type JobStart = Omit<NewJob, 'id'> & { id?: string | undefined; files?: string[] };

/**
 * Queues a job and has somebody look for it. Returns its id, which may be chosen beforehand: the same job twice is queued
 * once. `files` are moved to the job. Throws `not_admin` for who has lost their rights since the request came in (an
 * upload takes its time), and `id_taken`.
 */
export async function startJob(
  { db, jobs, jobFiles }: StartDeps,
  { id = uuidv7(), files = [], ...fields }: JobStart,
): Promise<string> {
  const job: NewJob = { ...fields, id };
  const { kind, adminId } = job;
  await inTransaction(db, async (tx) => {
    if (!(await isStillAdmin(tx, adminId))) throw new AppError('not_admin');
    if (!(await insertJob(tx, job))) {
      if (await isJobOf(tx, job)) return;
      throw new AppError('id_taken', { message: 'Another job has this id. Please try again.' });
    }
    await recordAudit(tx, { adminId, action: `${kind}.start`, target: `job ${id}` });
    // Last, so that only the commit can fail after it. Until then who sends the same waits for this row.
    if (files.length > 0) await jobFiles.keep(id, files);
  });
  jobs.wake();
  return id;
}
