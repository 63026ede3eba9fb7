import { deleteAccount } from '#api/accounts/leaving/delete-account.ts';
import { recordAudit } from '#api/admin/audit.ts';
import { requireTarget, type UserTarget } from '#api/admin/queries.ts';
import type { Deps } from '#api/deps.ts';
import type { MessageResponse } from '#shared/accounts/schema.ts';

/** Deletes a user (see `deleteAccount`). Throws `not_found` or `protected_account`. */
export async function deleteUser(deps: Deps, target: UserTarget): Promise<MessageResponse> {
  const { userId, adminId } = target;
  // Before anything is deleted; checked again under the lock.
  await requireTarget(deps.db, target);
  await deleteAccount(deps, {
    userId,
    prepare: async (tx) => {
      await requireTarget(tx, target);
      await recordAudit(tx, { adminId, action: 'user.delete', target: `user ${userId}` });
    },
  });
  return { message: 'The user was deleted.' };
}
