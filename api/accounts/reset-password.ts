import { eq, sql } from 'drizzle-orm';
import { users } from '#api/db/schema/users.ts';
import { inTransaction } from '#api/db/transaction.ts';
import type { Deps } from '#api/deps.ts';
import { AppError } from '#api/errors.ts';
import { closeSessionsOf } from '#api/http/session/sessions.ts';
import { findTokenUser, voidTokens } from '#api/mail/email-tokens.ts';
import { queueReset, unqueueMails } from '#api/mail/mail-queue.ts';
import { PASSWORD_RESET_REQUESTED_MESSAGE } from '#shared/accounts/constants.ts';
import type { ForgotPasswordInput, MessageResponse, ResetPasswordInput } from '#shared/accounts/schema.ts';
import { lockUser } from './queries.ts';

/**
 * Queues a mail without checking whether an account has the address, which the mail job does: answer and response time are
 * the same for every address. Beyond the address's limit nothing is queued.
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
 * Sets a new password with an email token. Of concurrent uses of a token one succeeds. Ends every session of the user with its
 * sockets and voids every other reset link, sent or queued.
 */
export async function resetPassword(
  { db, live, passwords }: Deps,
  { token, password }: ResetPasswordInput,
): Promise<MessageResponse> {
  // Avoids slow hashing for invalid tokens; the check that counts is made under the lock.
  const userId = await findTokenUser(db, token, 'reset');
  if (userId === null) throw new AppError('invalid_token');
  const passwordHash = await passwords.hash(password);

  await inTransaction(db, async (tx) => {
    const user = await lockUser(tx, userId);
    const isStillGood = (await findTokenUser(tx, token, 'reset')) === userId;
    if (user === null || !isStillGood) throw new AppError('invalid_token');
    await tx.orm
      .update(users)
      .set({ passwordHash, rev: sql`${users.rev} + 1` })
      .where(eq(users.id, userId));
    await voidTokens(tx, userId, 'reset');
    await unqueueMails(tx, user, 'reset');
    await closeSessionsOf(tx, userId);
  });
  live.publish({ type: 'sessions', userId });
  return { message: 'Your password has been reset. Please log in with the new one.' };
}
