import { sql } from 'drizzle-orm';
import { check, index, pgTable } from 'drizzle-orm/pg-core';
import { createdAt, instant, leaseColumns, literals } from '#api/db/columns.ts';
import {
  type AuditAction,
  type JobKind,
  type JobState,
  jobKindSchema,
  jobStateSchema,
  type ReportAuditAction,
} from '#shared/admin/schema.ts';
import type { ErrorCode } from '#shared/errors.ts';
import { users } from './users.ts';

/** The jobs that administrators start. A job is running while it has a lease: its stored state is then still `queued`. */
export const adminJobs = pgTable(
  'admin_jobs',
  (t) => ({
    id: t.uuid().primaryKey(),
    kind: t.text().$type<JobKind>().notNull(),
    state: t.text().$type<JobState>().notNull().default('queued'),
    adminId: t.integer('admin_id').references(() => users.id, { onDelete: 'set null' }),
    /** The input of the work, which depends on its kind. */
    input: t.jsonb().notNull(),
    /** Items done, of `total`. */
    done: t.integer().notNull().default(0),
    total: t.integer().notNull(),
    /** Where to continue, for kinds that need more than `done`. */
    place: t.jsonb(),
    stopAsked: t.boolean('stop_asked').notNull().default(false),
    ...leaseColumns(),
    /** Once the job has ended: its message, the error code if it failed, and its results if it succeeded. */
    message: t.text(),
    code: t.text().$type<ErrorCode>(),
    result: t.jsonb(),
    createdAt: createdAt(),
    endedAt: instant('ended_at'),
  }),
  (table) => [
    index('admin_jobs_age').on(table.createdAt.desc(), table.id.desc()),
    index('admin_jobs_due').on(table.nextAttemptAt).where(sql`${table.endedAt} is null`),
    check('admin_jobs_kind', sql`${table.kind} in (${literals(...jobKindSchema.options)})`),
    check('admin_jobs_state', sql`${table.state} in (${literals(...jobStateSchema.options)})`),
    check(
      'admin_jobs_end',
      sql`(${table.endedAt} is not null) = (${table.state} in ('done', 'failed', 'stopped'))`,
    ),
    check('admin_jobs_progress', sql`${table.done} between 0 and ${table.total}`),
  ],
);

/** The audit log: what administrators have changed. */
export const auditEntries = pgTable(
  'audit_entries',
  (t) => ({
    id: t.bigint({ mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    adminId: t.integer('admin_id').references(() => users.id, { onDelete: 'set null' }),
    action: t.text().$type<AuditAction | ReportAuditAction>().notNull(),
    /** The changed row, such as `user 104`; see `recordAudit`. */
    target: t.text().notNull(),
    createdAt: createdAt(),
  }),
  (table) => [index('audit_entries_age').on(table.createdAt.desc(), table.id.desc())],
);
