import { sql } from 'drizzle-orm';
import { check, index, pgTable, unique } from 'drizzle-orm/pg-core';
import { createdAt, literals } from '#api/db/columns.ts';
import { POINT_REASONS, type PointReason } from '#shared/points/constants.ts';
import { users } from './users.ts';

/**
 * The append-only ledger. `source` identifies the event behind an entry (`vote:<poll id>`), so that no event pays twice. Written
 * only in the statement or transaction that changes `users.points`.
 */
export const pointEntries = pgTable(
  'point_entries',
  (t) => ({
    id: t.bigint({ mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    userId: t.integer('user_id').references(() => users.id, { onDelete: 'set null' }),
    delta: t.integer().notNull(),
    reason: t.text().$type<PointReason>().notNull(),
    source: t.text().notNull(),
    createdAt: createdAt(),
  }),
  (table) => [
    unique('point_entries_once').on(table.userId, table.source),
    // Pages of a user's entries, newest first.
    index('point_entries_user').on(table.userId, table.id),
    // The sum of a user's referrals, and the number of recent ones. The condition of such a query must be literal: with a
    // parameter, a plan for all values cannot use the index.
    index('point_entries_referral')
      .on(table.userId, table.createdAt)
      .where(sql`${table.reason} = 'referral'`),
    check('point_entries_not_zero', sql`${table.delta} <> 0`),
    check('point_entries_reason', sql`${table.reason} in (${literals(...POINT_REASONS)})`),
  ],
);
