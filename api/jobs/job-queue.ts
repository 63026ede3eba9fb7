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
  /** Running is who has a lease; what is stored says how it ended. */
  state: sql<JobState>`case when ${adminJobs.lease} is null then ${adminJobs.state} else 'running' end`,
  done: adminJobs.done,
  total: adminJobs.total,
  place: adminJobs.place,
  message: adminJobs.message,
  code: adminJobs.code,
  result: adminJobs.result,
  createdAt: adminJobs.createdAt,
};

/** The fields that a job is shown from, and those that its caller needs once it has ended. */
export type JobRow = Pick<typeof adminJobs.$inferSelect, keyof typeof jobFields>;

export const JOB_QUEUE: Queue = {
  table: 'admin_jobs',
  endedAt: 'ended_at',
  leaseS: 30,
  columns: `leased.id, kind, lease, admin_id as "adminId", input, done, total, place, attempts,
    stop_asked as "stopAsked"`,
};

/** Ours to do until its lease runs out. */
export type LeasedJob = Pick<
  typeof adminJobs.$inferSelect,
  'id' | 'kind' | 'adminId' | 'input' | 'done' | 'total' | 'place' | 'stopAsked' | 'attempts'
> & { lease: string };

/** How a job has ended: `message` is fit to show, `result` the figures of a success. One that was stopped says so. */
export type JobEnd =
  | { state: 'done'; message: string; result: unknown }
  | { state: 'failed'; message: string; code: ErrorCode }
  | { state: 'stopped' };

/** How far a job is: `done` of `total` items (the total as it was, unless named), and where to go on. */
export type JobStep = { done: number; total?: number; place?: unknown; end?: JobEnd };

const toJson = (value: unknown) => (value === undefined ? null : JSON.stringify(value));

export type NewJob = { id: string; kind: JobKind; adminId: number; input: unknown; total: number };

/** Queues a job; false when one has its id. Call it in a transaction with the audit entry, and wake the runner after the commit. */
export async function insertJob({ orm }: Handle, job: NewJob): Promise<boolean> {
  return (await orm.insert(adminJobs).values(job).onConflictDoNothing()).count === 1;
}

/** Whether the job of this id is one of the same kind and administrator. */
export async function isJobOf({ orm }: Handle, { id, kind, adminId }: NewJob): Promise<boolean> {
  const isSame = and(eq(adminJobs.id, id), eq(adminJobs.kind, kind), eq(adminJobs.adminId, adminId));
  return (await orm.select({ id: adminJobs.id }).from(adminJobs).where(isSame)).length === 1;
}

/** How many jobs have not ended: those of an administrator, and of all. */
export async function countUnfinished(
  { orm }: Handle,
  adminId: number,
): Promise<{ own: number; all: number }> {
  const own = sql<number>`count(*) filter (where ${eq(adminJobs.adminId, adminId)})`.mapWith(Number);
  const [row] = await orm.select({ own, all: count() }).from(adminJobs).where(isNull(adminJobs.endedAt));
  return row ?? { own: 0, all: 0 };
}

// What ends or changes a job of ours is tagged SQL, to be read side by side: conditions decide what becomes of it.

/**
 * Notes how far a job is, and its end if there is one. False, with nothing noted, when it is no longer ours or is
 * to stop: call it in the transaction of the work, and roll that back then.
 */
export async function advanceJob(
  handle: Handle,
  { id, lease }: Lease,
  { done, total, place, end }: JobStep,
): Promise<boolean> {
  const noted = await handle.sql`
    update admin_jobs set
      done = ${done}, total = coalesce(${total ?? null}::int, total),
      place = coalesce(${toJson(place)}::jsonb, place)
    where id = ${id} and lease = ${lease} and not stop_asked`;
  if (noted.count === 0) return false;
  return end === undefined || endJob(handle, { id, lease }, end);
}

/**
 * Ends a job of ours; as stopped only if that was asked for. Its input goes, for it may have the names of files.
 * False when it is no longer ours.
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

/** What a stopped job says. A bulk upload makes all or nothing, however far it was. */
function stoppedMessage({ sql }: Handle) {
  return sql`case when kind = 'bulk-upload' then 'Stopped. No polls were created.'
    else 'Stopped after ' || done || ' of ' || total || '.' end`;
}

/**
 * Asks a job to stop, and ends it at once when nobody is at it. Null when it is asked already, has ended or was
 * never there.
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
    ) as found
    where id = job_id and ended_at is null and not stop_asked
    returning ended_at is not null as "hasEnded"`;
  return row ?? null;
}

/** A job as it is now, or null. */
export async function findJob({ orm }: Handle, id: string): Promise<JobRow | null> {
  const [row] = await orm.select(jobFields).from(adminJobs).where(eq(adminJobs.id, id));
  return row ?? null;
}

/** A job as it is now. Throws `not_found`. */
export async function requireJob(handle: Handle, id: string): Promise<JobRow> {
  const row = await findJob(handle, id);
  if (row === null) throw new AppError('not_found', { message: 'Job not found.' });
  return row;
}

/** The latest jobs, newest first. */
export async function findNewestJobs({ orm }: Handle): Promise<JobRow[]> {
  return (
    orm
      .select(jobFields)
      .from(adminJobs)
      // `nulls last` as in the index, which is not used otherwise.
      .orderBy(sql`${adminJobs.createdAt} desc nulls last`, sql`${adminJobs.id} desc nulls last`)
      .limit(LIST_MAX)
  );
}

/** Whether a job's state is one that it keeps. */
export function hasEnded({ state }: Pick<JobRow, 'state'>): boolean {
  return state !== 'queued' && state !== 'running';
}

/** A job as the API shows it. */
export function toJob({ place, code, result, createdAt, ...shown }: JobRow): Job {
  return { ...shown, createdAt: toIsoDate(createdAt) };
}
