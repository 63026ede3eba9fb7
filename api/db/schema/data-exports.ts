import { sql } from 'drizzle-orm';
import { check, index, pgTable, uniqueIndex } from 'drizzle-orm/pg-core';
import { createdAt, instant, leaseColumns } from '#api/db/columns.ts';
import { userIdColumn } from './users.ts';

/** The data exports that users have requested, at most one per user. The ZIP file is in `DATA_DIR/exports`, named by the id. */
export const dataExports = pgTable(
  'data_exports',
  (t) => ({
    id: t.uuid().primaryKey().defaultRandom(),
    userId: userIdColumn(),
    /** Files added to the ZIP file, of `total`. */
    done: t.integer().notNull().default(0),
    total: t.integer().notNull().default(0),
    ...leaseColumns(),
    createdAt: createdAt(),
    endedAt: instant('ended_at'),
    /** The size of the ZIP file; null until the export has succeeded. */
    bytes: t.bigint({ mode: 'number' }),
  }),
  (table) => [
    uniqueIndex('data_exports_one_a_user').on(table.userId),
    index('data_exports_due').on(table.nextAttemptAt).where(sql`${table.endedAt} is null`),
    check('data_exports_progress', sql`${table.done} between 0 and ${table.total}`),
  ],
);
