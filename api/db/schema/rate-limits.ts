import { integer, pgTable, text, timestamp } from 'drizzle-orm/pg-core';

/** Counters of limits shared between processes. The limiter library defines the column names. */
export const rateLimits = pgTable('rate_limits', {
  key: text().primaryKey(),
  points: integer().notNull(),
  expire: timestamp({ withTimezone: true, mode: 'date' }),
});
