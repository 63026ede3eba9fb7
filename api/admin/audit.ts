import { count } from 'drizzle-orm';
import type { Database, Handle } from '#api/db/client.ts';
import { retryLost } from '#api/db/retry-lost.ts';
import { auditEntries } from '#api/db/schema/admin.ts';
import type { PageQuery } from '#api/db/search-ids.ts';
import { toIsoDate } from '#api/db/timestamps.ts';
import type { AuditAction, AuditPage, ReportAuditAction } from '#shared/admin/schema.ts';
import { toPagination } from './paged-ids.ts';

type AuditRow = typeof auditEntries.$inferSelect & {
  username: string | null;
  targetName: string | null;
  isTargetRemoved: boolean;
};

/** A page of the audit log, newest first. */
export async function listAudit({ orm, sql }: Database, query: PageQuery): Promise<AuditPage> {
  const [{ total } = { total: 0 }] = await orm.select({ total: count() }).from(auditEntries);
  // Tagged SQL: the names of the targets are joined only for the selected page, from the table that `target` names. `nulls last`
  // as in the index: otherwise PostgreSQL would not use it.
  const rows = await retryLost(
    () => sql<AuditRow[]>`
    select entries.id::float8, admins.id as "adminId", admins.username, entries.action, entries.target,
      coalesce(target_users.username, target_polls.question) as "targetName",
      target_polls.removed_at is not null as "isTargetRemoved", entries.created_at as "createdAt"
    from (
      select * from audit_entries order by created_at desc nulls last, id desc nulls last
      limit ${query.limit} offset ${(query.page - 1) * query.limit}
    ) entries left join users admins on admins.id = entries.admin_id
    left join users target_users on target_users.id = substring(entries.target from '^user (\\d+)$')::int
    left join polls target_polls on target_polls.id = substring(entries.target from '^poll (.+)$')::uuid
    order by entries.created_at desc, entries.id desc`,
  );
  return {
    entries: rows.map(({ adminId, username, createdAt, action, ...entry }) => ({
      ...entry,
      ...toAuditAction(action),
      admin: adminId === null || username === null ? null : { id: adminId, username },
      createdAt: toIsoDate(createdAt),
    })),
    pagination: toPagination(query, { total }),
  };
}

/**
 * Clients of the first release do not know the actions about reports. For them, `action` has the nearest action that they know;
 * newer clients read the real one in `detail`.
 */
const ACTION_FOR_OLD_CLIENTS: Readonly<Record<ReportAuditAction, AuditAction>> = {
  'report.keep': 'poll.activate',
  'report.remove': 'poll.delete',
  'report.undo': 'poll.activate',
};

function toAuditAction(action: AuditAction | ReportAuditAction) {
  return isAboutReport(action) ? { action: ACTION_FOR_OLD_CLIENTS[action], detail: action } : { action };
}

function isAboutReport(action: string): action is ReportAuditAction {
  return Object.hasOwn(ACTION_FOR_OLD_CLIENTS, action);
}

/**
 * Adds an entry to the audit log. Call it in the transaction of the change. `target` names the changed row ("user 104",
 * "poll <id>", "job <id>") without personal data, because the entry is kept when the account is deleted.
 */
export async function recordAudit(
  { orm }: Handle,
  entry: { adminId: number; action: AuditAction | ReportAuditAction; target: string },
): Promise<void> {
  await orm.insert(auditEntries).values(entry);
}
