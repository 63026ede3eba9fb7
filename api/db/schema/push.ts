import { sql } from 'drizzle-orm';
import { index, pgTable } from 'drizzle-orm/pg-core';
import { createdAt, messageQueueColumns } from '#api/db/columns.ts';
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
  createdAt: createdAt(),
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
    ...messageQueueColumns(),
  }),
  (table) => [
    index('push_queue_due').on(table.nextAttemptAt).where(sql`${table.failedAt} is null`),
    index('push_queue_subscription').on(table.subscriptionId),
  ],
);
