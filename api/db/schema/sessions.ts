import { index, pgTable } from 'drizzle-orm/pg-core';
import { users } from './users.ts';

/** Logged-in browsers. Only the SHA-256 (hex) of the cookie's token is stored. */
export const sessions = pgTable(
  'sessions',
  (t) => ({
    tokenHash: t.text('token_hash').primaryKey(),
    userId: t
      .integer('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    createdAt: t.timestamp('created_at', { withTimezone: true, mode: 'string' }).notNull().defaultNow(),
    lastSeenAt: t.timestamp('last_seen_at', { withTimezone: true, mode: 'string' }).notNull().defaultNow(),
  }),
  (table) => [index('sessions_user').on(table.userId), index('sessions_last_seen').on(table.lastSeenAt)],
);
