import { eq } from 'drizzle-orm';
import { users } from '#api/db/schema/users.ts';
import type { Deps } from '#api/deps.ts';
import { AppError } from '#api/errors.ts';
import type { Caller } from '#api/http/client-address.ts';
import { countAttempt } from '#api/http/limits/attempts.ts';
import { ERROR_MESSAGES } from '#shared/errors.ts';

type PasswordDeps = Pick<Deps, 'db' | 'limits' | 'passwords'>;

/** The field of a request that contains the current password. */
type PasswordField = 'currentPassword' | 'password';

/**
 * Checks the password with which a user confirms their identity, a new email or password, or a deletion. Returns the stored
 * hash: the transaction of the change must compare it again while it holds the lock on the user's row. Throws `wrong_password`,
 * and `rate_limited` after many wrong passwords.
 */
export async function checkCurrentPassword(
  deps: PasswordDeps,
  userId: number,
  password: string | undefined,
  caller: Caller,
  field: PasswordField = 'currentPassword',
): Promise<string> {
  if (password === undefined || password === '') throw wrongPassword(field, 'Enter your current password');
  const { isRight, passwordHash } = await tryCurrentPassword(deps, userId, password, caller);
  if (!isRight) throw wrongPassword(field);
  return passwordHash;
}

type TriedPassword = {
  isRight: boolean;
  passwordHash: string;
  /** Undoes the count of a wrong password. */
  uncount(): Promise<void>;
};

/** Like `checkCurrentPassword`, but returns whether the password is right. A wrong one is counted as well. */
export async function tryCurrentPassword(
  { db, limits, passwords }: PasswordDeps,
  userId: number,
  password: string,
  caller: Caller,
): Promise<TriedPassword> {
  const [account] = await db.orm
    .select({ passwordHash: users.passwordHash })
    .from(users)
    .where(eq(users.id, userId));
  if (account === undefined) throw new AppError('unauthenticated');
  // Counted as a failure before the check, so that concurrent attempts cannot exceed the limit.
  const { refusal, undo: uncount } = await countAttempt([limits.wrongPasswordsOfUser], userId);
  if (refusal !== null) throw refusal;
  const isRight = await passwords
    .verify(password, account.passwordHash, caller)
    // The password pool was too busy, or the client disconnected: the password was not checked.
    .catch(async (error: unknown) => {
      await uncount();
      throw error;
    });
  if (isRight) await uncount();
  return { isRight, passwordHash: account.passwordHash, uncount };
}

/** The error for a wrong password, reported for the input field `field`. */
export function wrongPassword(
  field: PasswordField = 'currentPassword',
  message = ERROR_MESSAGES.wrong_password,
): AppError {
  return new AppError('wrong_password', { message, issues: [{ path: field, message }] });
}
