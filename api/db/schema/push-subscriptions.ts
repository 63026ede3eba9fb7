import { pgTable } from 'drizzle-orm/pg-core';
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
