import { eq } from 'drizzle-orm';
import { users } from '#api/db/schema/users.ts';
import type { Deps } from '#api/deps.ts';
import { AppError } from '#api/errors.ts';
import type { Caller } from '#api/http/client-address.ts';
import { ERROR_MESSAGES } from '#shared/errors.ts';

/** The field of a request that contains the current password. */
type PasswordField = 'currentPassword' | 'password';

/**
 * Checks the password with which a user confirms their identity, a new email or password, or a deletion. Returns the stored
 * hash: the transaction of the change must compare it again while it holds the lock on the user's row. Throws `wrong_password`,
 * and `rate_limited` after many wrong passwords.
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
  // Counted as a failure before the check, so that concurrent attempts cannot exceed the limit.
  await limits.wrongPasswordsOfUser.take(userId);
  const uncountFailure = () => limits.wrongPasswordsOfUser.undo(userId);
  const isRight = await passwords
    .verify(password, account.passwordHash, caller)
    // The password pool was too busy, or the client disconnected: the password was not checked.
    .catch(async (error: unknown) => {
      await uncountFailure();
      throw error;
    });
  if (!isRight) throw wrongPassword(field);
  await uncountFailure();
  return account.passwordHash;
}

/** The error for a wrong password, reported for the input field `field`. */
export function wrongPassword(
  field: PasswordField = 'currentPassword',
  message = ERROR_MESSAGES.wrong_password,
): AppError {
  return new AppError('wrong_password', { message, issues: [{ path: field, message }] });
}
