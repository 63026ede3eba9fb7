import { and, eq, gt, sql } from 'drizzle-orm';
import { checkCurrentPassword } from '#api/accounts/passwords/current-password.ts';
import { lockUser } from '#api/accounts/queries.ts';
import type { Handle } from '#api/db/client.ts';
import { sessions } from '#api/db/schema/sessions.ts';
import { users } from '#api/db/schema/users.ts';
import { inTransaction, type Transaction } from '#api/db/transaction.ts';
import type { Deps } from '#api/deps.ts';
import { AppError } from '#api/errors.ts';
import type { Caller } from '#api/http/client-address.ts';
import { hashToken } from '#api/http/session/secret-tokens.ts';
import type { SessionUser } from '#api/http/session/session-user.ts';
import { CONFIRMATION_TTL_MINUTES } from '#shared/accounts/constants.ts';
import type { ConfirmationInput } from '#shared/accounts/passkeys/schema.ts';
import { checkAssertion } from './assertions.ts';
import { hasSecondStep, type PasskeyEnv } from './queries.ts';

const PASSKEY_CONFIRMATION_MESSAGE =
  'This browser logged in without a passkey. Please confirm it is you with one.';

/**
 * Checks a password or passkey and marks the user's session as confirmed. Throws `wrong_password`, `invalid_passkey` or
 * `rate_limited`.
 */
export async function confirmIdentity(
  deps: Pick<Deps, 'db' | 'env' | 'limits' | 'passwords'>,
  sessionUser: SessionUser,
  { currentPassword, passkey }: ConfirmationInput,
  caller: Caller,
): Promise<void> {
  const { userId } = sessionUser;
  if (passkey !== undefined) {
    const usedPasskey = await checkAssertion(deps, passkey, { purpose: 'confirm', ...sessionUser });
    await inTransaction(deps.db, async (tx) => {
      await lockUser(tx, userId);
      await usedPasskey.recordUse(tx);
      await recordConfirmation(tx, sessionUser, 'passkey');
    });
    return;
  }
  const passwordHash = await checkCurrentPassword(deps, userId, currentPassword, caller);
  const isConfirmed = await inTransaction(deps.db, async (tx) => {
    const user = await lockUser(tx, userId);
    if (user === null) throw new AppError('unauthenticated');
    if (user.passwordHash !== passwordHash) return false;
    await recordConfirmation(tx, sessionUser, 'password');
    return true;
  });
  // The password was changed, or rehashed by a login, after it was checked: check it again.
  if (!isConfirmed) await confirmIdentity(deps, sessionUser, { currentPassword }, caller);
}

/** Marks a session as confirmed now, by password, or by passkey or recovery code. False if the session has ended. */
export async function recordConfirmation(
  { orm }: Handle,
  { userId, sessionToken }: SessionUser,
  by: 'password' | 'passkey',
): Promise<boolean> {
  const marked = await orm
    .update(sessions)
    .set({ confirmedAt: sql`now()`, ...(by === 'passkey' && { isPasskeyUsed: true }) })
    .where(and(eq(sessions.tokenHash, hashToken(sessionToken)), eq(sessions.userId, userId)));
  return marked.count === 1;
}

/**
 * Throws `confirmation_needed` unless the session was confirmed in the last `CONFIRMATION_TTL_MINUTES`. If the account has a
 * second step, a passkey or recovery code must also have been used in this session. A session that was opened with only a
 * password, before the account had a second step, needs a passkey.
 */
export async function requireConfirmed(
  env: PasskeyEnv,
  handle: Handle,
  { userId, sessionToken }: SessionUser,
): Promise<void> {
  const [session] = await handle.orm
    .select({
      isPasskeyUsed: sessions.isPasskeyUsed,
      user: { id: users.id, isAdmin: users.isAdmin, secondStep: users.secondStep },
    })
    .from(sessions)
    .innerJoin(users, eq(users.id, sessions.userId))
    .where(
      and(
        eq(sessions.tokenHash, hashToken(sessionToken)),
        eq(sessions.userId, userId),
        gt(sessions.confirmedAt, sql`now() - make_interval(mins => ${CONFIRMATION_TTL_MINUTES})`),
      ),
    );
  if (session === undefined) throw new AppError('confirmation_needed');
  if (!session.isPasskeyUsed && (await hasSecondStep(env, handle, session.user))) {
    throw new AppError('confirmation_needed', { message: PASSKEY_CONFIRMATION_MESSAGE });
  }
}

/** Locks and returns the user of a confirmed session. Throws `unauthenticated` or `confirmation_needed`. */
export async function lockConfirmedUser(env: PasskeyEnv, tx: Transaction, sessionUser: SessionUser) {
  const user = await lockUser(tx, sessionUser.userId);
  if (user === null) throw new AppError('unauthenticated');
  await requireConfirmed(env, tx, sessionUser);
  return user;
}
