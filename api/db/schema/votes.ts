import { sql } from 'drizzle-orm';
import { check, index, pgTable, unique } from 'drizzle-orm/pg-core';
import { createdAt } from '#api/db/columns.ts';
import type { Option } from '#shared/polls/schema.ts';
import { polls } from './polls.ts';
import { users } from './users.ts';

/**
 * One row for each user and poll. The votes of a deleted user are kept without `user_id`, whose index keeps deletions from
 * reading the whole table. `created_at` has a block range index, which adds almost nothing to the cost of a vote.
 */
export const votes = pgTable(
  'votes',
  (t) => ({
    id: t.bigint({ mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    pollId: t
      .uuid('poll_id')
      .notNull()
      .references(() => polls.id, { onDelete: 'cascade' }),
    userId: t.integer('user_id').references(() => users.id, { onDelete: 'set null' }),
    option: t.smallint().$type<Option>().notNull(),
    /** How often the user has changed the vote. */
    changes: t.smallint().notNull().default(0),
    createdAt: createdAt(),
  }),
  (table) => [
    unique('votes_one_a_user').on(table.pollId, table.userId),
    index('votes_user').on(table.userId),
    index('votes_age').using('brin', table.createdAt),
    check('votes_option', sql`${table.option} in (1, 2)`),
  ],
);
