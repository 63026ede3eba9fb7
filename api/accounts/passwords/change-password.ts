import { and, eq, ne, sql } from 'drizzle-orm';
import { discardChallenges } from '#api/accounts/passkeys/challenges.ts';
import { type LockedUser, lockUser } from '#api/accounts/queries.ts';
import { sessions } from '#api/db/schema/sessions.ts';
import { users } from '#api/db/schema/users.ts';
import { inTransaction, type Transaction } from '#api/db/transaction.ts';
import type { Deps } from '#api/deps.ts';
import { AppError } from '#api/errors.ts';
import type { Caller } from '#api/http/client-address.ts';
import { hashToken } from '#api/http/session/secret-tokens.ts';
import { requireUserRow, type UserRow } from '#api/http/session/session-user.ts';
import { voidTokens } from '#api/mail/email-tokens.ts';
import { queueNotice, unqueueMails } from '#api/mail/mail-queue.ts';
import type { ChangePasswordInput } from '#shared/accounts/schema.ts';
import { checkCurrentPassword, wrongPassword } from './current-password.ts';
import { hashNewPassword } from './new-password.ts';

type Change = ChangePasswordInput & {
  /** The session that goes on. */
  sessionToken: string;
  caller: Caller;
};

/**
 * Changes the password of a user who knows the current one. Ends their other sessions with the sockets. When the new password is the
 * current one already, as after a request whose response was lost, nothing changes. Throws `wrong_password`, `weak_password` and
 * `rate_limited`.
 */
export async function changePassword(deps: Deps, user: UserRow, change: Change): Promise<UserRow> {
  const { db, live, mails } = deps;
  const current = await checkPasswordOrRepetition(deps, user, change);
  if (current === null) return requireUserRow(db, user.id);
  const newPassword = { password: change.newPassword, field: 'newPassword' };
  const passwordHash = await hashNewPassword(deps, newPassword, user, change.caller);

  const changed = await inTransaction(db, async (tx) => {
    const locked = await lockUser(tx, user.id);
    if (locked === null) throw new AppError('unauthenticated');
    if (locked.passwordHash !== current) return null;
    await setPassword(tx, locked, passwordHash);
    await tx.orm
      .delete(sessions)
      .where(and(eq(sessions.userId, user.id), ne(sessions.tokenHash, hashToken(change.sessionToken))));
    return requireUserRow(tx, user.id);
  });
  // Changed meanwhile, perhaps by the same request.
  if (changed === null) return changePassword(deps, user, change);
  mails.wake();
  live.publish({ type: 'sessions', userId: user.id });
  return changed;
}

/** The hash of the current password; null when the account has the new one already. */
async function checkPasswordOrRepetition(
  deps: Deps,
  { id }: UserRow,
  { currentPassword, newPassword, caller }: Change,
): Promise<string | null> {
  try {
    return await checkCurrentPassword(deps, id, currentPassword, caller);
  } catch (error) {
    if (!(error instanceof AppError && error.code === 'wrong_password')) throw error;
    const [account] = await deps.db.orm
      .select({ passwordHash: users.passwordHash })
      .from(users)
      .where(eq(users.id, id));
    const isRepetition = await deps.passwords.verify(newPassword, account?.passwordHash ?? null, caller);
    if (!isRepetition) throw wrongPassword();
    await deps.limits.wrongPasswordsOfUser.giveBack(id);
    return null;
  }
}

/**
 * Stores a new password of a locked user and tells their address. The second step stays as it is; one that is under way begins
 * anew. Withdraws a change of the email that is not confirmed yet: whoever
 * asked for it may be why the password is changed.
 */
export async function setPassword(tx: Transaction, user: LockedUser, passwordHash: string): Promise<void> {
  await tx.orm
    .update(users)
    .set({ passwordHash, pendingEmail: null, rev: sql`${users.rev} + 1` })
    .where(eq(users.id, user.id));
  if (user.pendingEmail !== null) {
    await unqueueMails(tx, user, 'verify');
    await voidTokens(tx, user.id, 'verify');
  }
  await discardChallenges(tx, user.id);
  await queueNotice(tx, 'password-changed', user);
}
