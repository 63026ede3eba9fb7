import { pgTable } from 'drizzle-orm/pg-core';
import { instant } from '#api/db/columns.ts';

/**
 * Counters of limits shared between processes. `key` is the name of the limit and the SHA-256 hash of the counted user, name or
 * address; the limiter library defines the column names.
 */
export const rateLimits = pgTable('rate_limits', (t) => ({
  key: t.text().primaryKey(),
  points: t.integer().notNull(),
  expire: t.timestamp({ withTimezone: true, mode: 'date' }),
}));

/**
 * For limits with a sliding window: the times of the counted calls, oldest first. `key` is the SHA-256 hash of the limit's name
 * together with the counted user.
 */
export const recentCalls = pgTable('recent_calls', (t) => ({
  key: t.text().primaryKey(),
  times: instant('times').array().notNull(),
}));
