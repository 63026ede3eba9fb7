import { v7 as uuidv7 } from 'uuid';
import { recordAudit } from '#api/admin/audit.ts';
import type { BulkForm } from '#api/admin/bulk/read-bulk-form.ts';
import type { BulkUploadInput } from '#api/admin/bulk/upload-polls.ts';
import { isStillAdmin } from '#api/admin/queries.ts';
import { inTransaction } from '#api/db/transaction.ts';
import type { Deps } from '#api/deps.ts';
import { AppError } from '#api/errors.ts';
import { findUser } from '#api/http/session/session-user.ts';
import { countUnfinished, insertJob, isJobOf, type NewJob } from '#api/jobs/job-queue.ts';
import { countPolls } from '#api/polls/queries.ts';
import { USER_ID_MAX } from '#shared/accounts/constants.ts';
import {
  ALL_JOBS_LIMIT_MESSAGE,
  JOB_LIMIT_MESSAGE,
  JOBS_MAX,
  JOBS_OF_ADMIN_MAX,
} from '#shared/admin/constants.ts';
import type { GeneratePollsInput } from '#shared/admin/schema.ts';

/** An arbitrary number, unique to this lock. */
const START_LOCK_ID = 7_041_517;

type JobStart = Omit<NewJob, 'id'> & { id?: string | undefined; files?: string[] };

/**
 * Queues a job and wakes the runner. Returns its id, which the client may choose: the same job sent twice is queued once.
 * `files` are moved to the job. Throws `not_admin` if the administrator has lost their rights since the request arrived (an
 * upload takes time), `id_taken`, and `job_limit` while they, or all administrators together, have too many unfinished jobs.
 */
export async function startJob(
  { db, jobs, jobFiles }: Deps,
  { id = uuidv7(), files = [], ...fields }: JobStart,
): Promise<string> {
  const job: NewJob = { ...fields, id };
  const { kind, adminId } = job;
  await inTransaction(db, async (tx) => {
    if (!(await isStillAdmin(tx, adminId))) throw new AppError('not_admin');
    // Serialises starts, so that each one counts the jobs before it. The builder has no advisory locks.
    await tx.sql`select pg_advisory_xact_lock(${START_LOCK_ID})`;
    if (!(await insertJob(tx, job))) {
      if (await isJobOf(tx, job)) return;
      throw new AppError('id_taken', { message: 'Another job has this id. Please try again.' });
    }
    const unfinished = await countUnfinished(tx, adminId);
    if (unfinished.own > JOBS_OF_ADMIN_MAX) throw new AppError('job_limit', { message: JOB_LIMIT_MESSAGE });
    if (unfinished.all > JOBS_MAX) throw new AppError('job_limit', { message: ALL_JOBS_LIMIT_MESSAGE });
    await recordAudit(tx, { adminId, action: `${kind}.start`, target: `job ${id}` });
    // Last, so that only the commit can fail afterwards. Until the commit, a repeated request waits for the lock above.
    if (files.length > 0) await jobFiles.store(id, files);
  });
  jobs.wake();
  return id;
}

/**
 * Queues a job for a received form with its files, and returns its id. If the form was sent before, returns the id of the
 * existing job and does not touch these files. Throws what `startJob` throws.
 */
export function startBulkUpload(
  deps: Deps,
  adminId: number,
  { fields: { id, ...fields }, images }: BulkForm,
): Promise<string> {
  const input: BulkUploadInput = { ...fields, files: images.map(({ filename }) => filename) };
  const files = images.map(({ path }) => path);
  const total = files.length;
  return startJob(deps, { id: id?.toLowerCase(), kind: 'bulk-upload', adminId, input, total, files });
}

/** Queues the generation of sample polls for `userId`, by default for the administrator. Throws `not_found` for unknown users. */
export async function startGeneration(
  deps: Deps,
  adminId: number,
  { id, count, userId: makerId = adminId }: GeneratePollsInput,
): Promise<string> {
  const maker = makerId > USER_ID_MAX ? null : await findUser(deps.db, makerId);
  if (maker === null) throw new AppError('not_found', { message: 'User not found.' });
  const input: GeneratePollsInput = { count, userId: maker.id };
  return startJob(deps, { id: id?.toLowerCase(), kind: 'generate-polls', adminId, input, total: count });
}

/** Starts the check of the images of all polls; returns the id of the job. */
export async function startRepair(deps: Deps, adminId: number): Promise<string> {
  const { total } = await countPolls(deps.db);
  return startJob(deps, { kind: 'repair-images', adminId, input: {}, total });
}
