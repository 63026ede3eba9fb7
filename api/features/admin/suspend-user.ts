import { inTransaction } from '#api/db/transaction.ts';
import type { Deps } from '#api/deps.ts';
import { recordAudit } from '#api/services/audit.ts';
import { closeSessionsOf } from '#api/services/sessions.ts';
import { toUser } from '#api/services/user-view.ts';
import type { UserAction } from '#shared/admin/schema.ts';
import { requireTarget, setSuspended, type UserTarget } from './queries.ts';

/**
 * Suspends a user: every session ends at once, with its sockets, and there is no new one. Who is suspended already
 * stays so. Throws `not_found` or `protected_account`.
 */
export async function suspendUser(
  { db, live }: Pick<Deps, 'db' | 'live'>,
  target: UserTarget,
): Promise<UserAction> {
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
