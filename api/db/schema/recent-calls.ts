import { pgTable, timestamp } from 'drizzle-orm/pg-core';

/** The times of the calls that limits with a sliding window count, oldest first. `key` is a digest, as in `rate_limits`. */
export const recentCalls = pgTable('recent_calls', (t) => ({
  key: t.text().primaryKey(),
  times: timestamp({ withTimezone: true, mode: 'string' }).array().notNull(),
}));
