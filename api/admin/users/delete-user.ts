import { eq } from 'drizzle-orm';
import { deleteAccount, lockRelatedRows } from '#api/accounts/leaving/delete-account.ts';
import { removeExports } from '#api/accounts/leaving/export-files.ts';
import { recordAudit } from '#api/admin/audit.ts';
import { disableStatementTimeout, requireTarget, type UserTarget } from '#api/admin/queries.ts';
import { users } from '#api/db/schema/users.ts';
import { inTransaction } from '#api/db/transaction.ts';
import type { Deps } from '#api/deps.ts';
import type { MessageResponse } from '#shared/accounts/schema.ts';

/** Deletes a user (see `deleteAccount`) and closes their sockets. Throws `not_found` or `protected_account`. */
export async function deleteUser(
  { db, env, listCache, live }: Deps,
  target: UserTarget,
): Promise<MessageResponse> {
  const { userId, adminId } = target;
  const deletedExports = await inTransaction(db, async (tx) => {
    await disableStatementTimeout(tx);
    await lockRelatedRows(tx, userId);
    // Until the transaction ends, no row that refers to the user can be added.
    await tx.orm.select({ id: users.id }).from(users).where(eq(users.id, userId)).for('update');
    const ids = await deleteAccount(tx, await requireTarget(tx, target));
    await recordAudit(tx, { adminId, action: 'user.delete', target: `user ${userId}` });
    return ids;
  });
  await removeExports(env.dataDir, deletedExports);
  listCache.drop();
  live.publish({ type: 'sessions', userId });
  return { message: 'The user was deleted.' };
}
