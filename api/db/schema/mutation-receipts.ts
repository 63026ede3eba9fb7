import { sql } from 'drizzle-orm';
import { index, pgTable, primaryKey } from 'drizzle-orm/pg-core';
import { createdAt, instant } from '#api/db/columns.ts';
import type { ErrorCode } from '#shared/errors.ts';
import { userIdColumn } from './users.ts';

/**
 * The outcome of each idempotency key, written in the transaction of its effect or refusal. Outcomes with `expiresAt` are kept
 * until then, but of each user and route only the newest `EXPIRING_MAX_PER_USER_AND_ROUTE`; all others for `RECEIPTS_KEPT_DAYS`.
 */
export const mutationReceipts = pgTable(
  'mutation_receipts',
  (t) => ({
    userId: userIdColumn(),
    key: t.uuid().notNull(),
    route: t.text().notNull(),
    fingerprint: t.text().notNull(),
    status: t.smallint().notNull(),
    code: t.text().$type<ErrorCode>(),
    /** The poll that the request concerns, or null; see `Receipt`. */
    entityId: t.uuid('entity_id'),
    /**
     * Set for outcomes without an effect (refusals and repetitions), and for changes that can be undone and repeated any number
     * of times.
     */
    expiresAt: instant('expires_at'),
    createdAt: createdAt(),
  }),
  (table) => [
    primaryKey({ name: 'mutation_receipts_key', columns: [table.userId, table.key] }),
    index('mutation_receipts_age').on(table.createdAt),
    index('mutation_receipts_expiry').on(table.expiresAt).where(sql`${table.expiresAt} is not null`),
    index('mutation_receipts_expiring')
      .on(table.userId, table.expiresAt)
      .where(sql`${table.expiresAt} is not null`),
  ],
);
