import type { Handle } from '#api/db/client.ts';
import type { AuditAction } from '#shared/admin/schema.ts';

/**
 * Notes that an administrator did something. To be called in the transaction that does it. `target` names the row
 * ("user 104", "poll <id>", "job <id>") and nothing personal: it stays when the account is deleted.
 */
export async function recordAudit(
  { sql }: Handle,
  entry: { adminId: number; action: AuditAction; target: string },
): Promise<void> {
  await sql`
    insert into audit_entries (admin_id, action, target)
    values (${entry.adminId}, ${entry.action}, ${entry.target})`;
}
