import { and, eq, gte, ne } from 'drizzle-orm';
import type { LockedUser } from '#api/accounts/queries.ts';
import { passkeys } from '#api/db/schema/passkeys.ts';
import { sessions } from '#api/db/schema/sessions.ts';
import { inTransaction, type Transaction } from '#api/db/transaction.ts';
import type { Deps } from '#api/deps.ts';
import { AppError } from '#api/errors.ts';
import { hashToken } from '#api/http/session/secret-tokens.ts';
import { queueNotice } from '#api/mail/mail-queue.ts';
import type { PasskeyList } from '#shared/accounts/passkeys/schema.ts';
import { lockConfirmed, type Owner } from './confirm-identity.ts';
import { countPasskeys, readPasskeys } from './queries.ts';
import { switchOff } from './second-step.ts';

/** Throws `confirmation_needed` or `not_found`. */
export async function renamePasskey(
  { db, env }: Pick<Deps, 'db' | 'env'>,
  owner: Owner,
  id: string,
  name: string,
): Promise<PasskeyList> {
  return inTransaction(db, async (tx) => {
    const user = await lockConfirmed(env, tx, owner);
    const renamed = await tx.orm.update(passkeys).set({ name }).where(isTheirs(user, id));
    if (renamed.count === 0) throw notFound();
    return readPasskeys(env, tx, user.id);
  });
}

/**
 * Removes a passkey, and ends the other sessions that were opened with it; the last one takes the second step and the recovery codes
 * along. Throws `confirmation_needed` or `not_found`.
 */
export async function removePasskey(
  { db, env, live, mails }: Pick<Deps, 'db' | 'env' | 'live' | 'mails'>,
  owner: Owner,
  id: string,
): Promise<PasskeyList> {
  const list = await inTransaction(db, async (tx) => {
    const user = await lockConfirmed(env, tx, owner);
    const removed = await tx.orm.delete(passkeys).where(isTheirs(user, id));
    if (removed.count === 0) throw notFound();
    await closeOthersOf(tx, owner, id);
    await queueNotice(tx, 'passkey-removed', user);
    if ((await countPasskeys(tx, user.id)) === 0) await switchOff(tx, user);
    return readPasskeys(env, tx, user.id);
  });
  mails.wake();
  live.publish({ type: 'sessions', userId: owner.userId });
  return list;
}

/** Ends the sessions that were opened with a passkey, but for the one in which it is removed. */
async function closeOthersOf(
  { orm }: Transaction,
  { userId, sessionToken }: Owner,
  passkeyId: string,
): Promise<void> {
  const isOther = ne(sessions.tokenHash, hashToken(sessionToken));
  await orm
    .delete(sessions)
    .where(and(eq(sessions.userId, userId), eq(sessions.passkeyId, passkeyId), isOther));
}

/**
 * Removes the passkeys of a locked user that were added at `since` or later, or all of them; with the last one go the second step
 * and the recovery codes. For those who get their account back: somebody else may have added them.
 */
export async function discardPasskeys(tx: Transaction, user: LockedUser, since?: string): Promise<void> {
  const isNew = since === undefined ? undefined : gte(passkeys.createdAt, since);
  const removed = await tx.orm.delete(passkeys).where(and(eq(passkeys.userId, user.id), isNew));
  if (removed.count === 0) return;
  await queueNotice(tx, 'passkey-removed', user);
  if ((await countPasskeys(tx, user.id)) === 0) await switchOff(tx, user);
}

const isTheirs = (user: LockedUser, id: string) => and(eq(passkeys.id, id), eq(passkeys.userId, user.id));

function notFound(): AppError {
  return new AppError('not_found', { message: 'This passkey has been removed already.' });
}
