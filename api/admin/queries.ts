import { and, eq, not, or } from 'drizzle-orm';
import type { Handle } from '#api/db/client.ts';
import { users } from '#api/db/schema/users.ts';
import { AppError } from '#api/errors.ts';
import { findUser, type UserRow } from '#api/http/session/session-user.ts';
import { OWNER_USER_ID } from '#shared/accounts/constants.ts';
import { isProtectedAccount } from '#shared/admin/rules.ts';

/** An account to change, and the administrator who changes it. */
export type UserTarget = { userId: number; adminId: number };

/** Reads the target user. Throws `not_found`, or `protected_account` if this administrator must not change the account. */
export async function requireTarget(handle: Handle, { userId, adminId }: UserTarget): Promise<UserRow> {
  const user = await findUser(handle, userId);
  if (user === null) throw new AppError('not_found', { message: 'User not found.' });
  if (isProtectedAccount(user, adminId)) throw new AppError('protected_account');
  return user;
}

/**
 * Whether a user is an administrator and not suspended. A `FOR KEY SHARE` lock keeps the account from being deleted until the
 * transaction ends.
 */
export async function isStillAdmin({ orm }: Handle, userId: number): Promise<boolean> {
  const isAdmin = or(users.isAdmin, eq(users.id, OWNER_USER_ID));
  const rows = await orm
    .select({ id: users.id })
    .from(users)
    .where(and(eq(users.id, userId), isAdmin, not(users.isSuspended)))
    .for('key share');
  return rows.length === 1;
}
