import { index, pgTable, primaryKey } from 'drizzle-orm/pg-core';
import type { ErrorCode } from '#shared/errors.ts';
import { users } from './users.ts';

/** The outcome of each idempotency key, written in the transaction of its effect or refusal. */
export const mutationReceipts = pgTable(
  'mutation_receipts',
  (t) => ({
    userId: t
      .integer('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    key: t.uuid().notNull(),
    route: t.text().notNull(),
    fingerprint: t.text().notNull(),
    status: t.smallint().notNull(),
    code: t.text().$type<ErrorCode>(),
    entityId: t.uuid('entity_id'),
    createdAt: t.timestamp('created_at', { withTimezone: true, mode: 'string' }).notNull().defaultNow(),
  }),
  (table) => [
    primaryKey({ name: 'mutation_receipts_key', columns: [table.userId, table.key] }),
    index('mutation_receipts_age').on(table.createdAt),
  ],
);
