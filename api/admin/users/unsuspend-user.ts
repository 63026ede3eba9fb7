import { recordAudit } from '#api/admin/audit.ts';
import { requireTarget, setSuspended, type UserTarget } from '#api/admin/queries.ts';
import { inTransaction } from '#api/db/transaction.ts';
import type { Deps } from '#api/deps.ts';
import { toUser } from '#api/http/session/session-user.ts';
import type { UserAction } from '#shared/admin/schema.ts';

/** Lets a suspended user log in again. Who is not suspended stays so. Throws `not_found` or `protected_account`. */
export async function unsuspendUser({ db }: Deps, target: UserTarget): Promise<UserAction> {
  const { userId, adminId } = target;
  const user = await inTransaction(db, async (tx) => {
    const freed = await setSuspended(tx, target, false);
    if (freed === null) return requireTarget(tx, target);
    await recordAudit(tx, { adminId, action: 'user.unsuspend', target: `user ${userId}` });
    return freed;
  });
  return { message: `${user.username} is no longer suspended.`, user: toUser(user) };
}
