import { sql } from 'drizzle-orm';
import {
  bigint,
  check,
  index,
  integer,
  pgTable,
  smallint,
  timestamp,
  unique,
  uuid,
} from 'drizzle-orm/pg-core';
import type { Option } from '#shared/polls/schema.ts';
import { polls } from './polls.ts';
import { users } from './users.ts';

/**
 * One row for each user and poll. The votes of a deleted user stay, without `user_id`; its index keeps deletions from reading
 * the whole table. `created_at` has a block range index, which adds almost nothing to the cost of a vote.
 */
export const votes = pgTable(
  'votes',
  {
    id: bigint({ mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    pollId: uuid('poll_id')
      .notNull()
      .references(() => polls.id, { onDelete: 'cascade' }),
    userId: integer('user_id').references(() => users.id, { onDelete: 'set null' }),
    option: smallint().$type<Option>().notNull(),
    changes: smallint().notNull().default(0),
    createdAt: timestamp('created_at', { withTimezone: true, mode: 'string' }).notNull().defaultNow(),
  },
  (table) => [
    unique('votes_one_a_user').on(table.pollId, table.userId),
    index('votes_user').on(table.userId),
    index('votes_age').using('brin', table.createdAt),
    check('votes_option', sql`${table.option} in (1, 2)`),
  ],
);
