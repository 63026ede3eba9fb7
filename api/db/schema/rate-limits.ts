import { integer, pgTable, text, timestamp } from 'drizzle-orm/pg-core';

/** Counters of the limits that several processes share. The column names are the limiter library's. */
export const rateLimits = pgTable('rate_limits', {
  key: text().primaryKey(),
  points: integer().notNull(),
  expire: timestamp({ withTimezone: true, mode: 'date' }),
});
