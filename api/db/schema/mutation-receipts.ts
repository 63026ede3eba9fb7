import { index, integer, pgTable, primaryKey, smallint, text, timestamp, uuid } from 'drizzle-orm/pg-core';
import type { ErrorCode } from '#shared/errors.ts';
import { users } from './users.ts';

/** The outcome of each idempotency key, written in the transaction of its effect or refusal. */
export const mutationReceipts = pgTable(
  'mutation_receipts',
  {
    userId: integer('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    key: uuid().notNull(),
    route: text().notNull(),
    fingerprint: text().notNull(),
    status: smallint().notNull(),
    code: text().$type<ErrorCode>(),
    entityId: uuid('entity_id'),
    createdAt: timestamp('created_at', { withTimezone: true, mode: 'string' }).notNull().defaultNow(),
  },
  (table) => [
    primaryKey({ name: 'mutation_receipts_key', columns: [table.userId, table.key] }),
    index('mutation_receipts_age').on(table.createdAt),
  ],
);
