import type { Handle } from '#api/db/client.ts';
import { auditEntries } from '#api/db/schema/audit-entries.ts';
import type { AuditAction } from '#shared/admin/schema.ts';

/**
 * Notes that an administrator did something. To be called in the transaction that does it. `target` names the row
 * ("user 104", "poll <id>", "job <id>") and nothing personal: it stays when the account is deleted.
 */
export async function recordAudit(
  { orm }: Handle,
  entry: { adminId: number; action: AuditAction; target: string },
): Promise<void> {
  await orm.insert(auditEntries).values(entry);
}
