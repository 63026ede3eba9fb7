import { sql } from 'drizzle-orm';
import { check, index, pgTable, primaryKey } from 'drizzle-orm/pg-core';
import { users } from './users.ts';

/** Whose polls a user does not want to see. */
export const userBlocks = pgTable(
  'user_blocks',
  (t) => ({
    userId: t
      .integer('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    blockedId: t
      .integer('blocked_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    createdAt: t.timestamp('created_at', { withTimezone: true, mode: 'string' }).notNull().defaultNow(),
  }),
  (table) => [
    primaryKey({ name: 'user_blocks_key', columns: [table.userId, table.blockedId] }),
    index('user_blocks_blocked').on(table.blockedId),
    check('user_blocks_not_oneself', sql`${table.userId} <> ${table.blockedId}`),
  ],
);
