import { and, eq, gte, ne } from 'drizzle-orm';
import type { LockedUser } from '#api/accounts/queries.ts';
import { passkeys } from '#api/db/schema/passkeys.ts';
import { sessions } from '#api/db/schema/sessions.ts';
import { inTransaction, type Transaction } from '#api/db/transaction.ts';
import type { Deps } from '#api/deps.ts';
import { AppError } from '#api/errors.ts';
import { hashToken } from '#api/http/session/secret-tokens.ts';
import type { SessionUser } from '#api/http/session/session-user.ts';
import { queueNotice } from '#api/mail/mail-queue.ts';
import type { PasskeyList } from '#shared/accounts/passkeys/schema.ts';
import { lockConfirmedUser } from './confirm-identity.ts';
import { countPasskeys, readPasskeys } from './queries.ts';
import { disableSecondStep } from './second-step.ts';

/** Renames a passkey. Throws `confirmation_needed` or `not_found`. */
export async function renamePasskey(
  { db, env }: Pick<Deps, 'db' | 'env'>,
  sessionUser: SessionUser,
  id: string,
  name: string,
): Promise<PasskeyList> {
  return inTransaction(db, async (tx) => {
    const user = await lockConfirmedUser(env, tx, sessionUser);
    const renamed = await tx.orm.update(passkeys).set({ name }).where(isPasskeyOf(user, id));
    if (renamed.count === 0) throw notFound();
    return readPasskeys(env, tx, user.id);
  });
}

/**
 * Removes a passkey, queues a mail about it, and ends the other sessions that were opened with it. If it was the user's last one,
 * the second step is switched off and the recovery codes are deleted. Throws `confirmation_needed` or `not_found`.
 */
export async function removePasskey(
  { db, env, live, mails }: Pick<Deps, 'db' | 'env' | 'live' | 'mails'>,
  sessionUser: SessionUser,
  id: string,
): Promise<PasskeyList> {
  const list = await inTransaction(db, async (tx) => {
    const user = await lockConfirmedUser(env, tx, sessionUser);
    const removed = await tx.orm.delete(passkeys).where(isPasskeyOf(user, id));
    if (removed.count === 0) throw notFound();
    const isOther = ne(sessions.tokenHash, hashToken(sessionUser.sessionToken));
    await tx.orm
      .delete(sessions)
      .where(and(eq(sessions.userId, user.id), eq(sessions.passkeyId, id), isOther));
    await queueNotice(tx, 'passkey-removed', user);
    if ((await countPasskeys(tx, user.id)) === 0) await disableSecondStep(tx, user);
    return readPasskeys(env, tx, user.id);
  });
  mails.wake();
  live.publish({ type: 'sessions', userId: sessionUser.userId });
  return list;
}

/**
 * Removes the passkeys of a user that were added at `since` (a timestamp) or later, without `since` all of them, and queues a mail
 * about it. If none is left, the second step is switched off and the recovery codes are deleted. Used to recover an account to
 * which an attacker may have added passkeys.
 */
export async function discardPasskeys(tx: Transaction, user: LockedUser, since?: string): Promise<void> {
  const isNew = since === undefined ? undefined : gte(passkeys.createdAt, since);
  const removed = await tx.orm.delete(passkeys).where(and(eq(passkeys.userId, user.id), isNew));
  if (removed.count === 0) return;
  await queueNotice(tx, 'passkey-removed', user);
  if ((await countPasskeys(tx, user.id)) === 0) await disableSecondStep(tx, user);
}

const isPasskeyOf = (user: LockedUser, id: string) => and(eq(passkeys.id, id), eq(passkeys.userId, user.id));

function notFound(): AppError {
  return new AppError('not_found', { message: 'This passkey has already been removed.' });
}
