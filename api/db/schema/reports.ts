import { sql } from 'drizzle-orm';
import { check, index, pgTable, primaryKey, unique } from 'drizzle-orm/pg-core';
import { createdAt, instant, literals } from '#api/db/columns.ts';
import { type ReportDecision, reportDecisionSchema } from '#shared/admin/schema.ts';
import { REPORT_TEXT_MAX_LENGTH } from '#shared/reports/constants.ts';
import { type ReportReason, type ReportVerdict, reportVerdictSchema } from '#shared/reports/schema.ts';
import { polls } from './polls.ts';
import { userIdColumn, users } from './users.ts';

/**
 * The reports of users, one row for each user and poll. A report without a verdict waits for an administrator. Rows are kept
 * after their poll is deleted, since they show how often a user's reports were right.
 */
export const pollReports = pgTable(
  'poll_reports',
  (t) => ({
    id: t.bigint({ mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    pollId: t.uuid('poll_id').references(() => polls.id, { onDelete: 'set null' }),
    userId: userIdColumn(),
    reason: t.text().$type<ReportReason>().notNull(),
    text: t.text(),
    verdict: t.text().$type<ReportVerdict>(),
    /** When the decision was made. */
    decidedAt: instant('decided_at'),
    /** Whether the report was taken back after the verdict, so that its user sees the poll again. */
    isTakenBack: t.boolean('is_taken_back').notNull().default(false),
    createdAt: createdAt(),
  }),
  (table) => [
    unique('poll_reports_one_a_user').on(table.pollId, table.userId),
    index('poll_reports_user').on(table.userId),
    index('poll_reports_open').on(table.pollId).where(sql`${table.verdict} is null`),
    check(
      'poll_reports_text_length',
      sql`char_length(${table.text}) between 1 and ${literals(REPORT_TEXT_MAX_LENGTH)}`,
    ),
    check('poll_reports_verdict', sql`${table.verdict} in (${literals(...reportVerdictSchema.options)})`),
  ],
);

/** The latest decision about each reported poll. */
export const reportDecisions = pgTable(
  'report_decisions',
  (t) => ({
    pollId: t
      .uuid('poll_id')
      .primaryKey()
      .references(() => polls.id, { onDelete: 'cascade' }),
    adminId: t.integer('admin_id').references(() => users.id, { onDelete: 'set null' }),
    action: t.text().$type<ReportDecision>().notNull(),
    rule: t.text().$type<ReportReason>(),
    /** When the poll was hidden, if it was hidden before the decision. An undo of the decision restores this time. */
    hiddenAt: instant('hidden_at'),
    decidedAt: instant('decided_at').notNull().defaultNow(),
  }),
  (table) => [
    index('report_decisions_age').on(table.decidedAt.desc(), table.pollId.desc()),
    index('report_decisions_admin').on(table.adminId),
    check('report_decisions_action', sql`${table.action} in (${literals(...reportDecisionSchema.options)})`),
  ],
);

/** The blocks: one row for each user of whom another user wants to see nothing. */
export const userBlocks = pgTable(
  'user_blocks',
  (t) => ({
    userId: userIdColumn(),
    blockedId: t
      .integer('blocked_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    createdAt: createdAt(),
  }),
  (table) => [
    primaryKey({ name: 'user_blocks_key', columns: [table.userId, table.blockedId] }),
    index('user_blocks_blocked').on(table.blockedId),
    check('user_blocks_not_oneself', sql`${table.userId} <> ${table.blockedId}`),
  ],
);
