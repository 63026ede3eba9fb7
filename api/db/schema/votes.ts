import { sql } from 'drizzle-orm';
import { bigint, check, integer, pgTable, smallint, timestamp, unique, uuid } from 'drizzle-orm/pg-core';
import { polls } from './polls.ts';
import { users } from './users.ts';

/**
 * Who chose what: one row a user and poll. A deleted user's votes stay without a name. `user_id` has no index of
 * its own: every vote would pay for it, and only the deletion of a user, which is rare and may take the time to
 * read the table through, would use it.
 */
export const votes = pgTable(
  'votes',
  {
    id: bigint({ mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    pollId: uuid('poll_id')
      .notNull()
      .references(() => polls.id, { onDelete: 'cascade' }),
    userId: integer('user_id').references(() => users.id, { onDelete: 'set null' }),
    option: smallint().notNull(),
    createdAt: timestamp('created_at', { withTimezone: true, mode: 'string' }).notNull().defaultNow(),
  },
  (table) => [
    unique('votes_one_a_user').on(table.pollId, table.userId),
    check('votes_option', sql`${table.option} in (1, 2)`),
  ],
);
