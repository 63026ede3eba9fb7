import { index, pgTable } from 'drizzle-orm/pg-core';
import type { AuditAction, ReportAuditAction } from '#shared/admin/schema.ts';
import { users } from './users.ts';

export const auditEntries = pgTable(
  'audit_entries',
  (t) => ({
    id: t.bigint({ mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    adminId: t.integer('admin_id').references(() => users.id, { onDelete: 'set null' }),
    action: t.text().$type<AuditAction | ReportAuditAction>().notNull(),
    target: t.text().notNull(),
    createdAt: t.timestamp('created_at', { withTimezone: true, mode: 'string' }).notNull().defaultNow(),
  }),
  (table) => [index('audit_entries_age').on(table.createdAt.desc(), table.id.desc())],
);
