import { sql } from 'drizzle-orm';
import { index, pgTable } from 'drizzle-orm/pg-core';
import { sessions } from './sessions.ts';

/** Where the browser of a session receives push messages. It ends with the session, whichever way that ends. */
export const pushSubscriptions = pgTable('push_subscriptions', (t) => ({
  id: t.bigint({ mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
  sessionId: t
    .uuid('session_id')
    .notNull()
    .unique()
    .references(() => sessions.id, { onDelete: 'cascade' }),
  /** A browser has one, whoever is logged in there. */
  endpoint: t.text().notNull().unique(),
  /** The keys that the browser decrypts messages with, in base64url. */
  p256dh: t.text().notNull(),
  auth: t.text().notNull(),
  createdAt: t.timestamp('created_at', { withTimezone: true, mode: 'string' }).notNull().defaultNow(),
}));

/**
 * Push messages to send, one for each device: about which notifications of its user (a range of ids). The text is made when the
 * message is sent.
 */
export const pushQueue = pgTable(
  'push_queue',
  (t) => ({
    id: t.bigint({ mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    subscriptionId: t
      .bigint('subscription_id', { mode: 'number' })
      .notNull()
      .references(() => pushSubscriptions.id, { onDelete: 'cascade' }),
    firstId: t.bigint('first_id', { mode: 'number' }).notNull(),
    lastId: t.bigint('last_id', { mode: 'number' }).notNull(),
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
    index('push_queue_due').on(table.nextAttemptAt).where(sql`${table.failedAt} is null`),
    index('push_queue_subscription').on(table.subscriptionId),
  ],
);
