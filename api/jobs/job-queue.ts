import { and, count, eq, isNull, sql } from 'drizzle-orm';
import type { Handle } from '#api/db/client.ts';
import { adminJobs } from '#api/db/schema/admin.ts';
import { toIsoDate } from '#api/db/timestamps.ts';
import { AppError } from '#api/errors.ts';
import type { Job, JobKind, JobState } from '#shared/admin/schema.ts';
import type { ErrorCode } from '#shared/errors.ts';
import type { Lease, Queue } from './leases.ts';

const LIST_MAX = 50;

const jobFields = {
  id: adminJobs.id,
  kind: adminJobs.kind,
  /** A leased job is running; otherwise the stored state applies. */
  state: sql<JobState>`case when ${adminJobs.lease} is null then ${adminJobs.state} else 'running' end`,
  done: adminJobs.done,
  total: adminJobs.total,
  place: adminJobs.place,
  message: adminJobs.message,
  code: adminJobs.code,
  result: adminJobs.result,
  attempts: adminJobs.attempts,
  createdAt: adminJobs.createdAt,
};

/** The fields that the API shows, those that a waiting caller needs once the job has ended, and the failed attempts. */
export type JobRow = Pick<typeof adminJobs.$inferSelect, keyof typeof jobFields>;

export const JOB_QUEUE: Queue = {
  table: 'admin_jobs',
  endedAt: 'ended_at',
  leaseS: 30,
  columns: `leased.id, kind, lease, admin_id as "adminId", input, done, total, place,
    stop_asked as "stopAsked", attempts`,
  countsLostLeases: true,
};

/** A job that this process may work on until its lease runs out. */
export type LeasedJob = Pick<
  typeof adminJobs.$inferSelect,
  'id' | 'kind' | 'adminId' | 'input' | 'done' | 'total' | 'place' | 'stopAsked' | 'attempts'
> & { lease: string };

/** How a job has ended: `message` is shown to administrators, `result` has the counts of a successful job. */
export type JobEnd =
  | { state: 'done'; message: string; result: unknown }
  | { state: 'failed'; message: string; code: ErrorCode }
  | { state: 'stopped' };

/** The progress of a job: `done` of `total` items (absent: unchanged), the `place` to continue from, and its end. */
export type JobStep = { done: number; total?: number; place?: unknown; end?: JobEnd };

const toJson = (value: unknown) => (value === undefined ? null : JSON.stringify(value));

export type NewJob = { id: string; kind: JobKind; adminId: number; input: unknown; total: number };

/** Queues a job; false if its id is taken. Call it in the transaction of the audit entry; wake the runner after the commit. */
export async function insertJob({ orm }: Handle, job: NewJob): Promise<boolean> {
  return (await orm.insert(adminJobs).values(job).onConflictDoNothing()).count === 1;
}

/** Whether the stored job with this id has the same kind and administrator. */
export async function isJobOf({ orm }: Handle, { id, kind, adminId }: NewJob): Promise<boolean> {
  const isSame = and(eq(adminJobs.id, id), eq(adminJobs.kind, kind), eq(adminJobs.adminId, adminId));
  return (await orm.select({ id: adminJobs.id }).from(adminJobs).where(isSame)).length === 1;
}

/** How many jobs have not ended: those of this administrator (`own`), and all. */
export async function countUnfinished(
  { orm }: Handle,
  adminId: number,
): Promise<{ own: number; all: number }> {
  const own = sql<number>`count(*) filter (where ${eq(adminJobs.adminId, adminId)})`.mapWith(Number);
  const [row] = await orm.select({ own, all: count() }).from(adminJobs).where(isNull(adminJobs.endedAt));
  return row ?? { own: 0, all: 0 };
}

// The following statements are tagged SQL, so that their conditions, which settle all races, are easy to compare.

/**
 * Stores the progress of a job, and its end if there is one. Progress sets the failed attempts back to 0, except in a bulk upload:
 * it starts over after each failure, and could otherwise be retried forever. Returns false, without a change, if the lease was lost
 * or a stop was requested. Call it in the transaction of the work, and roll that back on false.
 */
export async function advanceJob(
  handle: Handle,
  { id, lease }: Lease,
  { done, total, place, end }: JobStep,
): Promise<boolean> {
  const updated = await handle.sql`
    update admin_jobs set
      done = ${done}, total = coalesce(${total ?? null}::int, total),
      place = coalesce(${toJson(place)}::jsonb, place),
      attempts = case when kind <> 'bulk-upload' and ${done} > done then 0 else attempts end
    where id = ${id} and lease = ${lease} and not stop_asked`;
  if (updated.count === 0) return false;
  return end === undefined || endJob(handle, { id, lease }, end);
}

/**
 * Ends a leased job; as stopped only if that was requested. Deletes its input, which may contain file names. Returns false if
 * nothing was changed, for example because the lease was lost.
 */
export async function endJob(handle: Handle, { id, lease }: Lease, end: JobEnd): Promise<boolean> {
  const { sql } = handle;
  const message = end.state === 'stopped' ? stoppedMessage(handle) : sql`${end.message}`;
  const ended = await sql`
    update admin_jobs set
      state = ${end.state}, message = ${message}, ended_at = now(), lease = null, leased_until = null,
      input = '{}', code = ${end.state === 'failed' ? end.code : null},
      result = ${end.state === 'done' ? toJson(end.result) : null}::jsonb
    where id = ${id} and lease = ${lease} and (stop_asked or ${end.state !== 'stopped'})`;
  return ended.count === 1;
}

/** The message of a stopped job, in SQL. A bulk upload creates all of its polls or none, whatever its progress. */
function stoppedMessage({ sql }: Handle) {
  return sql`case when kind = 'bulk-upload' then 'Stopped. No polls were created.'
    else 'Stopped after ' || done || ' of ' || total || '.' end`;
}

/**
 * Requests that a job stops, and ends it at once if no process has a lease on it. Null if that was already requested, or the
 * job has ended or does not exist.
 */
export async function requestStop(handle: Handle, id: string): Promise<{ hasEnded: boolean } | null> {
  const [row] = await handle.sql<[{ hasEnded: boolean }?]>`
    update admin_jobs set
      stop_asked = true,
      state = case when is_free then 'stopped' else state end,
      ended_at = case when is_free then now() end,
      input = case when is_free then '{}' else input end,
      message = case when is_free then ${stoppedMessage(handle)} end,
      lease = case when is_free then null else lease end,
      leased_until = case when is_free then null else leased_until end
    from (
      select id as job_id, lease is null or leased_until < now() as is_free from admin_jobs
      where id = ${id} for update
    ) as current_job
    where id = job_id and ended_at is null and not stop_asked
    returning ended_at is not null as "hasEnded"`;
  return row ?? null;
}

/** Reads a job; null if it does not exist. */
export async function findJob({ orm }: Handle, id: string): Promise<JobRow | null> {
  const [row] = await orm.select(jobFields).from(adminJobs).where(eq(adminJobs.id, id));
  return row ?? null;
}

/** Reads a job. Throws `not_found`. */
export async function requireJob(handle: Handle, id: string): Promise<JobRow> {
  const row = await findJob(handle, id);
  if (row === null) throw new AppError('not_found', { message: 'Job not found.' });
  return row;
}

/** The latest jobs, newest first. */
export async function findNewestJobs({ orm }: Handle): Promise<JobRow[]> {
  // `nulls last` as in the index: otherwise PostgreSQL would not use it.
  const order = sql`${adminJobs.createdAt} desc nulls last, ${adminJobs.id} desc nulls last`;
  return orm.select(jobFields).from(adminJobs).orderBy(order).limit(LIST_MAX);
}

/** Whether a job is in a final state. */
export function hasEnded({ state }: Pick<JobRow, 'state'>): boolean {
  return state !== 'queued' && state !== 'running';
}

/** A job as the API shows it. */
export function toJob({ place, code, result, attempts, createdAt, ...fields }: JobRow): Job {
  return { ...fields, createdAt: toIsoDate(createdAt) };
}
