import { and, eq, ne, sql } from 'drizzle-orm';
import { withLinkDelay } from '#api/accounts/email-changes.ts';
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
import { userChanged } from '#api/live/live-events.ts';
import { voidLinks } from '#api/mail/email-tokens.ts';
import { queueNotice, queueVerification } from '#api/mail/mail-queue.ts';
import type { ChangePasswordInput } from '#shared/accounts/schema.ts';
import { tryCurrentPassword, wrongPassword } from './current-password.ts';
import { hashNewPassword } from './new-password.ts';

type PasswordChange = ChangePasswordInput & {
  /** The token of the user's current session, which remains. */
  sessionToken: string;
  caller: Caller;
};

/**
 * Changes the password of a user who knows the current one. Ends their other sessions and closes the sockets of these. If the
 * current password is wrong but the account already has the new one, as when a request is repeated after a lost response, nothing
 * changes. Throws `wrong_password`, `weak_password` and `rate_limited`.
 */
export async function changePassword(deps: Deps, user: UserRow, change: PasswordChange): Promise<UserRow> {
  const { db, limits, live, mails } = deps;
  const currentHash = await checkPasswordOrRepetition(deps, user, change);
  if (currentHash === null) return requireUserRow(db, user.id);
  const newPassword = { password: change.newPassword, field: 'newPassword' };
  const passwordHash = await hashNewPassword(deps, newPassword, user, change.caller);

  const save = (linkDelayS: number) =>
    inTransaction(db, async (tx) => {
      const locked = await lockUser(tx, user.id);
      if (locked === null) throw new AppError('unauthenticated');
      if (locked.passwordHash !== currentHash) return null;
      await setPassword(tx, locked, { passwordHash, linkDelayS });
      await tx.orm
        .delete(sessions)
        .where(and(eq(sessions.userId, user.id), ne(sessions.tokenHash, hashToken(change.sessionToken))));
      return requireUserRow(tx, user.id);
    });
  const isLinkNeeded = !user.isVerified && user.pendingEmail !== null;
  const changed = await (isLinkNeeded ? withLinkDelay(limits, user.id, user.email, save) : save(0));
  // The password was changed after it was checked, perhaps by a concurrent copy of this request.
  if (changed === null) return changePassword(deps, user, change);
  mails.wake();
  live.publish({ type: 'sessions', userId: user.id });
  // Other tabs of this device may show the requested email, which is withdrawn now.
  live.publish(userChanged(user.id, changed));
  return changed;
}

/** Checks the current password and returns its hash; null if it is wrong but the account already has the new password. */
async function checkPasswordOrRepetition(
  deps: Deps,
  { id }: UserRow,
  { currentPassword, newPassword, caller }: PasswordChange,
): Promise<string | null> {
  const { isRight, passwordHash, uncount } = await tryCurrentPassword(deps, id, currentPassword, caller);
  if (isRight) return passwordHash;
  const isRepetition = await deps.passwords.verify(newPassword, passwordHash, caller);
  if (!isRepetition) throw wrongPassword();
  await uncount();
  return null;
}

/**
 * Stores a new password of a user and queues a mail about it. The second step remains as it was, but logins that are in
 * their second step must start again. Withdraws an unconfirmed change of the email, which an attacker may have requested; if the
 * current email is unverified, a withdrawal also queues another link to it, to be sent in `linkDelayS` seconds.
 */
export async function setPassword(
  tx: Transaction,
  user: LockedUser,
  { passwordHash, linkDelayS = 0 }: { passwordHash: string; linkDelayS?: number },
): Promise<void> {
  await tx.orm
    .update(users)
    .set({ passwordHash, pendingEmail: null, rev: sql`${users.rev} + 1` })
    .where(eq(users.id, user.id));
  if (user.pendingEmail !== null) {
    await voidLinks(tx, user, 'verify');
    await queueVerification(tx, user.id, linkDelayS);
  }
  await discardChallenges(tx, user.id);
  await queueNotice(tx, 'password-changed', user);
}
