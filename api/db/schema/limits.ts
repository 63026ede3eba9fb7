import { pgTable } from 'drizzle-orm/pg-core';
import { instant } from '#api/db/columns.ts';

/** Counters of limits shared between processes. The limiter library defines the column names. */
export const rateLimits = pgTable('rate_limits', (t) => ({
  key: t.text().primaryKey(),
  points: t.integer().notNull(),
  expire: t.timestamp({ withTimezone: true, mode: 'date' }),
}));

/** The times of the calls that limits with a sliding window count, oldest first. `key` is a digest, as in `rate_limits`. */
export const recentCalls = pgTable('recent_calls', (t) => ({
  key: t.text().primaryKey(),
  times: instant('times').array().notNull(),
}));
