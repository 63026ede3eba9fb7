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
import { CONFIRMATION_TTL_MINUTES } from '#shared/accounts/constants.ts';
import type { ConfirmationInput } from '#shared/accounts/passkeys/schema.ts';
import { checkAssertion } from './assertions.ts';
import { hasSecondStep, type PasskeyEnv } from './queries.ts';

const PASSKEY_ASKED =
  'This browser logged in before the second step was on. Please confirm with a passkey that it is you.';

/** A user and the session of their request. */
export type Owner = { userId: number; sessionToken: string };

/**
 * Confirms by password or passkey that it is the user who has this session. Throws `wrong_password`, `invalid_passkey` or
 * `rate_limited`.
 */
export async function confirmIdentity(
  deps: Pick<Deps, 'db' | 'env' | 'limits' | 'passwords'>,
  owner: Owner,
  { currentPassword, passkey }: ConfirmationInput,
  caller: Caller,
): Promise<void> {
  const { userId } = owner;
  if (passkey !== undefined) {
    const used = await checkAssertion(deps, passkey, { purpose: 'confirm', ...owner });
    await inTransaction(deps.db, async (tx) => {
      await lockUser(tx, userId);
      await used.note(tx);
      await noteConfirmation(tx, owner, 'passkey');
    });
    return;
  }
  const passwordHash = await checkCurrentPassword(deps, userId, currentPassword, caller);
  const isConfirmed = await inTransaction(deps.db, async (tx) => {
    const user = await lockUser(tx, userId);
    if (user === null) throw new AppError('unauthenticated');
    if (user.passwordHash !== passwordHash) return false;
    await noteConfirmation(tx, owner, 'password');
    return true;
  });
  // Changed, or hashed anew by a login meanwhile.
  if (!isConfirmed) await confirmIdentity(deps, owner, { currentPassword }, caller);
}

/** Notes that the user of this session has just proved who they are. False when the session has ended. */
export async function noteConfirmation(
  { orm }: Handle,
  { userId, sessionToken }: Owner,
  by: 'password' | 'passkey',
): Promise<boolean> {
  const noted = await orm
    .update(sessions)
    .set({ confirmedAt: sql`now()`, ...(by === 'passkey' && { isPasskeyUsed: true }) })
    .where(and(eq(sessions.tokenHash, hashToken(sessionToken)), eq(sessions.userId, userId)));
  return noted.count === 1;
}

/**
 * Throws `confirmation_needed` unless the user of this session has proved in the last minutes who they are: of an account with a
 * second step by passkey, if the session was opened before by password alone.
 */
export async function requireConfirmed(
  env: PasskeyEnv,
  handle: Handle,
  { userId, sessionToken }: Owner,
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
    throw new AppError('confirmation_needed', { message: PASSKEY_ASKED });
  }
}

/** Locks the user of a confirmed session. Throws `unauthenticated` or `confirmation_needed`. */
export async function lockConfirmed(env: PasskeyEnv, tx: Transaction, owner: Owner) {
  const user = await lockUser(tx, owner.userId);
  if (user === null) throw new AppError('unauthenticated');
  await requireConfirmed(env, tx, owner);
  return user;
}
