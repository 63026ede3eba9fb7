import { eq, sql } from 'drizzle-orm';
import { users } from '#api/db/schema/users.ts';
import { inTransaction } from '#api/db/transaction.ts';
import type { Deps } from '#api/deps.ts';
import { AppError } from '#api/errors.ts';
import { closeSessionsOf } from '#api/http/session/sessions.ts';
import { findTokenUser, voidTokens } from '#api/mail/email-tokens.ts';
import { unqueueMails } from '#api/mail/mail-queue.ts';
import type { ResetPasswordInput } from '#shared/accounts/schema.ts';
import { lockUser } from './queries.ts';

/**
 * Sets a new password by a mailed token, once: of many uses at the same time one succeeds. Every session of the
 * user ends with its sockets, and so does every other reset link, sent or waiting to be.
 */
export async function resetPassword(
  { db, live, passwords }: Pick<Deps, 'db' | 'live' | 'passwords'>,
  { token, password }: ResetPasswordInput,
): Promise<void> {
  // Hashing takes long: not for a token that is none. What counts is the look under the lock.
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
}
