import { index, pgTable } from 'drizzle-orm/pg-core';
import { users } from './users.ts';

/**
 * Unused recovery codes: a row is deleted when its code is used. Only bcrypt hashes are stored; those of a user that were made
 * together have the same salt, so that a code is hashed once to be found.
 */
export const recoveryCodes = pgTable(
  'recovery_codes',
  (t) => ({
    codeHash: t.text('code_hash').primaryKey(),
    userId: t
      .integer('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    createdAt: t.timestamp('created_at', { withTimezone: true, mode: 'string' }).notNull().defaultNow(),
  }),
  (table) => [index('recovery_codes_user').on(table.userId)],
);
