import { bigint, index, integer, pgTable, text, timestamp } from 'drizzle-orm/pg-core';
import type { AuditAction } from '#shared/admin/schema.ts';
import { users } from './users.ts';

/** The actions of administrators. */
export const auditEntries = pgTable(
  'audit_entries',
  {
    id: bigint({ mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    adminId: integer('admin_id').references(() => users.id, { onDelete: 'set null' }),
    action: text().$type<AuditAction>().notNull(),
    target: text().notNull(),
    createdAt: timestamp('created_at', { withTimezone: true, mode: 'string' }).notNull().defaultNow(),
  },
  (table) => [index('audit_entries_age').on(table.createdAt.desc(), table.id.desc())],
);
