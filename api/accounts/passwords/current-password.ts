import { eq } from 'drizzle-orm';
import { users } from '#api/db/schema/users.ts';
import type { Deps } from '#api/deps.ts';
import { AppError } from '#api/errors.ts';
import type { Caller } from '#api/http/client-address.ts';
import { ERROR_MESSAGES } from '#shared/errors.ts';

/** The field of a request that has the current password. */
type PasswordField = 'currentPassword' | 'password';

/**
 * Checks the password with which a user confirms a change of a credential. Returns its hash as stored: the change must still find it
 * under the lock of the user's row. Throws `wrong_password`, and `rate_limited` after many of those.
 */
export async function checkCurrentPassword(
  { db, limits, passwords }: Pick<Deps, 'db' | 'limits' | 'passwords'>,
  userId: number,
  password: string | undefined,
  caller: Caller,
  field: PasswordField = 'currentPassword',
): Promise<string> {
  if (password === undefined || password === '') throw wrongPassword(field, 'Enter your current password');
  const [account] = await db.orm
    .select({ passwordHash: users.passwordHash })
    .from(users)
    .where(eq(users.id, userId));
  if (account === undefined) throw new AppError('unauthenticated');
  // Counted beforehand, so that concurrent attempts do not all pass.
  await limits.wrongPasswordsOfUser.take(userId);
  const forgetFailure = () => limits.wrongPasswordsOfUser.giveBack(userId);
  const isRight = await passwords
    .verify(password, account.passwordHash, caller)
    // Too busy, or the client hung up: the password was not checked.
    .catch(async (error: unknown) => {
      await forgetFailure();
      throw error;
    });
  if (!isRight) throw wrongPassword(field);
  await forgetFailure();
  return account.passwordHash;
}

/** The error for a wrong password, shown at the form's `field`. */
export function wrongPassword(
  field: PasswordField = 'currentPassword',
  message = ERROR_MESSAGES.wrong_password,
): AppError {
  return new AppError('wrong_password', { message, issues: [{ path: field, message }] });
}
