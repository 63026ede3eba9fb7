import { v7 as uuidv7 } from 'uuid';
import { recordAudit } from '#api/admin/audit.ts';
import { isStillAdmin } from '#api/admin/queries.ts';
import { inTransaction } from '#api/db/transaction.ts';
import type { Deps } from '#api/deps.ts';
import { AppError } from '#api/errors.ts';
import { insertJob } from '#api/jobs/job-queue.ts';
import type { JobKind } from '#shared/admin/schema.ts';

/**
 * Queues a job and has somebody look for it. Returns its id, which may be chosen beforehand. Throws `not_admin` for
 * who has lost their rights since the request came in: an upload takes its time.
 */
export async function startJob(
  { db, jobs }: Pick<Deps, 'db' | 'jobs'>,
  job: { id?: string; kind: JobKind; adminId: number; input: unknown; total: number },
): Promise<string> {
  const { id = uuidv7(), kind, adminId } = job;
  await inTransaction(db, async (tx) => {
    if (!(await isStillAdmin(tx, adminId))) throw new AppError('not_admin');
    await insertJob(tx, { ...job, id });
    await recordAudit(tx, { adminId, action: `${kind}.start`, target: `job ${id}` });
  });
  jobs.wake();
  return id;
}
