import { sql } from 'drizzle-orm';
import { check, index, pgTable, uniqueIndex } from 'drizzle-orm/pg-core';
import { users } from './users.ts';

export type MailPurpose = 'verify' | 'reset';

/**
 * Mails to send: who and what for. The token is made when the mail goes out, so that none rests here.
 * A reset knows the address that was typed, whether or not an account has it: writing the row costs the same
 * either way. Whose it is is looked up when the mail goes out. One mail of a kind waits for each recipient.
 */
export const mailQueue = pgTable(
  'mail_queue',
  (t) => ({
    id: t.bigint({ mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    purpose: t.text().$type<MailPurpose>().notNull(),
    userId: t.integer('user_id').references(() => users.id, { onDelete: 'cascade' }),
    /** Of a reset only, in lower case. */
    email: t.text(),
    /** What the Message-ID is made of, the same for every attempt. */
    messageKey: t.uuid('message_key').notNull().defaultRandom(),
    attempts: t.integer().notNull().default(0),
    nextAttemptAt: t
      .timestamp('next_attempt_at', { withTimezone: true, mode: 'string' })
      .notNull()
      .defaultNow(),
    /** The attempt under way, with the time from which on it is taken for lost. */
    lease: t.uuid(),
    leasedUntil: t.timestamp('leased_until', { withTimezone: true, mode: 'string' }),
    lastError: t.text('last_error'),
    /** When it was given up. */
    failedAt: t.timestamp('failed_at', { withTimezone: true, mode: 'string' }),
    createdAt: t.timestamp('created_at', { withTimezone: true, mode: 'string' }).notNull().defaultNow(),
  }),
  (table) => [
    index('mail_queue_due').on(table.nextAttemptAt).where(sql`${table.failedAt} is null`),
    index('mail_queue_user').on(table.userId),
    uniqueIndex('mail_queue_one_verify')
      .on(table.userId)
      .where(sql`${table.purpose} = 'verify' and ${table.failedAt} is null`),
    uniqueIndex('mail_queue_one_reset')
      .on(table.email)
      .where(sql`${table.purpose} = 'reset' and ${table.failedAt} is null`),
    check(
      'mail_queue_recipient',
      sql`(${table.purpose} = 'verify' and ${table.userId} is not null and ${table.email} is null)
        or (${table.purpose} = 'reset' and ${table.email} is not null)`,
    ),
  ],
);
