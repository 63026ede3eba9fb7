import { pgTable } from 'drizzle-orm/pg-core';

/** Counters of limits shared between processes. The limiter library defines the column names. */
export const rateLimits = pgTable('rate_limits', (t) => ({
  key: t.text().primaryKey(),
  points: t.integer().notNull(),
  expire: t.timestamp({ withTimezone: true, mode: 'date' }),
}));
