import { discardPasskeys } from '#api/accounts/passkeys/change-passkeys.ts';
import { lockUserOfToken } from '#api/accounts/queries.ts';
import { inTransaction } from '#api/db/transaction.ts';
import type { Deps } from '#api/deps.ts';
import { AppError } from '#api/errors.ts';
import type { Caller } from '#api/http/client-address.ts';
import { requireUserRow } from '#api/http/session/session-user.ts';
import { closeSessionsOf } from '#api/http/session/sessions.ts';
import { findToken, isSetUpToken, voidLinks } from '#api/mail/email-tokens.ts';
import { queueReset } from '#api/mail/mail-queue.ts';
import { PASSWORD_RESET_REQUESTED_MESSAGE } from '#shared/accounts/constants.ts';
import type { ForgotPasswordInput, MessageResponse, ResetPasswordInput } from '#shared/accounts/schema.ts';
import { setPassword } from './change-password.ts';
import { hashNewPassword } from './new-password.ts';

/**
 * Queues the mail for a new password. Whether an account has the address is checked later by the mail runner: to prevent
 * account enumeration, the response and its time are the same for every address. Beyond the address's limit nothing is queued.
 */
export async function forgotPassword(
  { db, limits, mails }: Deps,
  { email }: ForgotPasswordInput,
): Promise<MessageResponse> {
  if (await limits.passwordRequestsOfAddress.tryTake(email.toLowerCase())) {
    await queueReset(db, email);
    mails.wake();
  }
  return { message: PASSWORD_RESET_REQUESTED_MESSAGE };
}

/**
 * Sets a new password with an email token. Of concurrent uses of a token only one succeeds. Ends every session of the user,
 * closes their sockets, voids every other reset link (sent or queued) and withdraws an unconfirmed change of the email. If the
 * email was never verified, also removes the passkeys. Throws `invalid_token` or `weak_password`.
 */
export async function resetPassword(
  deps: Deps,
  { token, password }: ResetPasswordInput,
  caller: Caller,
): Promise<MessageResponse & { userId: number }> {
  const { db, live, mails } = deps;
  // Saves slow hashing for invalid tokens; the decisive check is made under the lock.
  const storedToken = await findToken(db, token, 'reset');
  if (storedToken === null) throw new AppError('invalid_token');
  const { userId } = storedToken;
  const account = await requireUserRow(db, userId);
  const passwordHash = await hashNewPassword(deps, { password, field: 'password' }, account, caller);

  await inTransaction(db, async (tx) => {
    const { user } = await lockUserOfToken(tx, token, 'reset');
    await setPassword(tx, user, { passwordHash });
    // Until now nobody had proved that the email is theirs: a stranger may have signed up with it and added passkeys.
    if (!user.isVerified) await discardPasskeys(tx, user);
    await voidLinks(tx, user, 'reset');
    await closeSessionsOf(tx, userId);
  });
  mails.wake();
  live.publish({ type: 'sessions', userId });
  const message = isSetUpToken(storedToken)
    ? 'Your password is set. Please log in with it.'
    : 'Your password has been reset. Please log in with the new one.';
  return { userId, message };
}
