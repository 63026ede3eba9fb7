import type { Deps } from '#api/deps.ts';
import { AppError } from '#api/errors.ts';
import type { Caller } from '#api/http/client-address.ts';
import { guessableWords, passwordWeakness } from '#shared/accounts/password-rules.ts';

/** A new password. `field`: the input field that a `weak_password` error is reported for. */
type NewPassword = { password: string; field: string };

/** Hashes the new password of an account. Throws `weak_password` when it is easy to guess. */
export async function hashNewPassword(
  { passwords }: Pick<Deps, 'passwords'>,
  { password, field }: NewPassword,
  account: { username: string; email: string },
  caller: Caller,
): Promise<string> {
  const score = await passwords.estimate(password, guessableWords(account), caller);
  const message = passwordWeakness(password, score, account);
  if (message !== null) throw new AppError('weak_password', { message, issues: [{ path: field, message }] });
  return passwords.hash(password, caller);
}
