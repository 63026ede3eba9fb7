import { sql } from 'drizzle-orm';
import { check, index, pgTable, unique } from 'drizzle-orm/pg-core';
import { createdAt, instant, literals } from '#api/db/columns.ts';
import { NOTIFICATION_KINDS, type NotificationKind } from '#shared/notifications/constants.ts';
import { type ReportReason, type ReportVerdict, reportVerdictSchema } from '#shared/reports/schema.ts';
import { polls } from './polls.ts';
import { userIdColumn, users } from './users.ts';

/**
 * The notifications of users, each written in the transaction of its cause. A user has at most one of a kind for each poll or
 * friend; the unique keys begin with the poll and the friend, so that deletions use them, too.
 */
export const notifications = pgTable(
  'notifications',
  (t) => ({
    id: t.bigint({ mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    userId: userIdColumn(),
    kind: t.text().$type<NotificationKind>().notNull(),
    pollId: t.uuid('poll_id').references(() => polls.id, { onDelete: 'set null' }),
    /** The user who has signed up with the link of `userId`. */
    friendId: t.integer('friend_id').references(() => users.id, { onDelete: 'set null' }),
    /** Why the poll was removed. */
    rule: t.text().$type<ReportReason>(),
    /** The decision about the user's report. */
    verdict: t.text().$type<ReportVerdict>(),
    createdAt: createdAt(),
    readAt: instant('read_at'),
    /** Whether the notification still has to be sent in a push message, alone or with others. */
    isPushDue: t.boolean('is_push_due').notNull().default(true),
    /** When a push message was queued whose newest notification is this one; else null. */
    pushedAt: instant('pushed_at'),
  }),
  (table) => [
    index('notifications_user').on(table.userId, table.id),
    index('notifications_unread').on(table.userId, table.id).where(sql`${table.readAt} is null`),
    index('notifications_push').on(table.userId).where(sql`${table.isPushDue}`),
    index('notifications_age').on(table.createdAt),
    unique('notifications_once_a_poll').on(table.pollId, table.userId, table.kind),
    unique('notifications_once_a_friend').on(table.friendId, table.userId, table.kind),
    check('notifications_kind', sql`${table.kind} in (${literals(...NOTIFICATION_KINDS)})`),
    check('notifications_verdict', sql`${table.verdict} in (${literals(...reportVerdictSchema.options)})`),
  ],
);
