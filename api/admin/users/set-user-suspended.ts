import { and, eq, ne, not, sql } from 'drizzle-orm';
import { recordAudit } from '#api/admin/audit.ts';
import { requireTarget, type UserTarget } from '#api/admin/queries.ts';
import { users } from '#api/db/schema/users.ts';
import { inTransaction, type Transaction } from '#api/db/transaction.ts';
import type { Deps } from '#api/deps.ts';
import { toUser, type UserRow, userFields } from '#api/http/session/session-user.ts';
import { closeSessionsOf } from '#api/http/session/sessions.ts';
import { OWNER_USER_ID } from '#shared/accounts/constants.ts';
import type { UserAction } from '#shared/admin/schema.ts';

type Suspension = UserTarget & { isSuspended: boolean };

/**
 * Suspends a user and ends all their sessions and sockets at once, or permits a suspended user to log in again. Idempotent.
 * Throws `not_found` or `protected_account`.
 */
export async function setUserSuspended({ db, live }: Deps, change: Suspension): Promise<UserAction> {
  const { userId, isSuspended } = change;
  const user = await inTransaction(db, (tx) => storeSuspension(tx, change));
  if (isSuspended) live.publish({ type: 'sessions', userId });
  const state = isSuspended ? 'suspended' : 'no longer suspended';
  return { message: `${user.username} is ${state}.`, user: toUser(user) };
}

/**
 * The part of `setUserSuspended` in a transaction. Returns the user; the caller must close the sockets of a suspended one after
 * the commit.
 */
export async function storeSuspension(
  tx: Transaction,
  { isSuspended, ...target }: Suspension,
): Promise<UserRow> {
  const { userId, adminId } = target;
  // The negation of `isProtectedAccount`.
  const isUnprotected = and(not(users.isAdmin), ne(users.id, OWNER_USER_ID), ne(users.id, adminId));
  const [changed] = await tx.orm
    .update(users)
    .set({ isSuspended, rev: sql`${users.rev} + 1` })
    .where(and(eq(users.id, userId), ne(users.isSuspended, isSuspended), isUnprotected))
    .returning(userFields);
  if (changed === undefined) return requireTarget(tx, target);
  if (isSuspended) await closeSessionsOf(tx, userId);
  const action = isSuspended ? 'user.suspend' : 'user.unsuspend';
  await recordAudit(tx, { adminId, action, target: `user ${userId}` });
  return changed;
}
