import { recordAudit } from '#api/admin/audit.ts';
import { requireTarget, setSuspended, type UserTarget } from '#api/admin/queries.ts';
import { inTransaction } from '#api/db/transaction.ts';
import type { Deps } from '#api/deps.ts';
import { toUser } from '#api/http/session/session-user.ts';
import { closeSessionsOf } from '#api/http/session/sessions.ts';
import type { UserAction } from '#shared/admin/schema.ts';

/**
 * Suspends a user: every session ends at once, with its sockets, and there is no new one. Who is suspended already
 * stays so. Throws `not_found` or `protected_account`.
 */
export async function suspendUser({ db, live }: Deps, target: UserTarget): Promise<UserAction> {
  const { userId, adminId } = target;
  const user = await inTransaction(db, async (tx) => {
    const suspended = await setSuspended(tx, target, true);
    if (suspended === null) return requireTarget(tx, target);
    await closeSessionsOf(tx, userId);
    await recordAudit(tx, { adminId, action: 'user.suspend', target: `user ${userId}` });
    return suspended;
  });
  live.publish({ type: 'sessions', userId });
  return { message: `${user.username} is suspended.`, user: toUser(user) };
}
