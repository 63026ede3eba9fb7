import { sql } from 'drizzle-orm';
import { index, pgTable } from 'drizzle-orm/pg-core';
import { createdAt, messageQueueColumns } from '#api/db/columns.ts';
import { sessions } from './sessions.ts';

/** The subscriptions by which the browsers of sessions receive push messages. A subscription is deleted with its session. */
export const pushSubscriptions = pgTable('push_subscriptions', (t) => ({
  id: t.bigint({ mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
  sessionId: t
    .uuid('session_id')
    .notNull()
    .unique()
    .references(() => sessions.id, { onDelete: 'cascade' }),
  /** A browser has one endpoint, regardless of who is logged in. */
  endpoint: t.text().notNull().unique(),
  /** The keys with which messages to the browser are encrypted, in base64url. */
  p256dh: t.text().notNull(),
  auth: t.text().notNull(),
  createdAt: createdAt(),
}));

/**
 * Push messages to send, each to one device and about a range of its user's notifications (by their ids). The text is made when
 * the message is sent.
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
    ...messageQueueColumns(),
  }),
  (table) => [
    index('push_queue_due').on(table.nextAttemptAt).where(sql`${table.failedAt} is null`),
    index('push_queue_subscription').on(table.subscriptionId),
  ],
);
