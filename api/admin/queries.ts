import { and, eq, not, or } from 'drizzle-orm';
import type { Handle } from '#api/db/client.ts';
import { users } from '#api/db/schema/users.ts';
import { AppError } from '#api/errors.ts';
import { findUser, type UserRow } from '#api/http/session/session-user.ts';
import { OWNER_USER_ID } from '#shared/accounts/constants.ts';
import { isProtectedAccount } from '#shared/admin/rules.ts';

/** An account that somebody acts upon, and who. */
export type UserTarget = { userId: number; adminId: number };

/** The user as they are. Throws `not_found`, or `protected_account` for whom this administrator must leave alone. */
export async function requireTarget(handle: Handle, { userId, adminId }: UserTarget): Promise<UserRow> {
  const user = await findUser(handle, userId);
  if (user === null) throw new AppError('not_found', { message: 'User not found.' });
  if (isProtectedAccount(user, adminId)) throw new AppError('protected_account');
  return user;
}

/** Whether a user has the rights of an administrator as of now. Keeps the account until the transaction ends. */
export async function isStillAdmin({ orm }: Handle, userId: number): Promise<boolean> {
  const isAdmin = or(users.isAdmin, eq(users.id, OWNER_USER_ID));
  const found = await orm
    .select({ id: users.id })
    .from(users)
    .where(and(eq(users.id, userId), isAdmin, not(users.isSuspended)))
    .for('key share');
  return found.length === 1;
}

/**
 * The user as they are, locked against everything that refers to them until the transaction ends. Throws as
 * `requireTarget` does.
 */
export async function lockTarget(handle: Handle, target: UserTarget): Promise<UserRow> {
  await handle.orm.select({ id: users.id }).from(users).where(eq(users.id, target.userId)).for('update');
  return requireTarget(handle, target);
}

export const pollNotFound = () => new AppError('not_found', { message: 'Poll not found.' });

/**
 * Lifts the time limit of statements for this transaction: what a user or a poll leaves behind can be a million rows,
 * which are all changed or none.
 */
export async function liftTimeLimit(handle: Handle): Promise<void> {
  // A setting, which is no query.
  await handle.sql`set local statement_timeout = 0`;
}
