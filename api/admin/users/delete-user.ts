import { deleteAccount, lockRelatedRows } from '#api/accounts/leaving/delete-account.ts';
import { removeExports } from '#api/accounts/leaving/export-files.ts';
import { recordAudit } from '#api/admin/audit.ts';
import { disableStatementTimeout, lockTarget, type UserTarget } from '#api/admin/queries.ts';
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
    const ids = await deleteAccount(tx, await lockTarget(tx, target));
    await recordAudit(tx, { adminId, action: 'user.delete', target: `user ${userId}` });
    return ids;
  });
  await removeExports(env.dataDir, deletedExports);
  listCache.drop();
  live.publish({ type: 'sessions', userId });
  return { message: 'The user was deleted.' };
}
