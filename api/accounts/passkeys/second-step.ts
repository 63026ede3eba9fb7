import { and, eq, gte, sql } from 'drizzle-orm';
import type { LockedUser } from '#api/accounts/queries.ts';
import type { Handle } from '#api/db/client.ts';
import { recoveryCodes } from '#api/db/schema/passkeys.ts';
import { users } from '#api/db/schema/users.ts';
import { inTransaction, type Transaction } from '#api/db/transaction.ts';
import type { Deps } from '#api/deps.ts';
import { AppError } from '#api/errors.ts';
import type { Caller } from '#api/http/client-address.ts';
import { newToken } from '#api/http/session/secret-tokens.ts';
import { requireUserRow, type SessionUser, type UserRow } from '#api/http/session/session-user.ts';
import { queueNotice, queueUndoableNotice } from '#api/mail/mail-queue.ts';
import type { PasskeyList } from '#shared/accounts/passkeys/schema.ts';
import { storeChallenge } from './challenges.ts';
import { lockConfirmedUser, requireConfirmed } from './confirm-identity.ts';
import {
  hasSecondStep,
  isSecondStepRequired,
  type PasskeyEnv,
  readPasskeys,
  requireAnyPasskey,
  type SecondStepUser,
} from './queries.ts';
import { makeRecoveryCodes, removeRecoveryCodes } from './recovery-codes.ts';

type SecondStepDeps = Pick<Deps, 'db' | 'env' | 'mails' | 'passwords'>;

/**
 * Switches the second step on: from then on, a login by password also needs a passkey or a recovery code. Creates and returns
 * recovery codes. If the second step is on already, nothing changes. Throws `confirmation_needed` or `no_passkey`.
 */
export async function switchSecondStepOn(
  deps: SecondStepDeps,
  sessionUser: SessionUser,
  caller: Caller,
): Promise<PasskeyList & { recoveryCodes?: string[] }> {
  const { db, env, mails } = deps;
  const { userId } = sessionUser;
  await requireConfirmed(env, db, sessionUser);
  // Checked before the codes are hashed, which is slow, and again in the transaction.
  const { secondStep } = await requireUserRow(db, userId);
  await requireAnyPasskey(db, userId);
  if (secondStep) return readPasskeys(env, db, userId);
  const { codes, store } = await makeRecoveryCodes(deps, userId, caller);
  const result = await inTransaction(db, async (tx) => {
    const user = await lockConfirmedUser(env, tx, sessionUser);
    await requireAnyPasskey(tx, user.id);
    if (user.secondStep) return readPasskeys(env, tx, user.id);
    await tx.orm
      .update(users)
      .set({ secondStep: true, secondStepSince: sql`now()` })
      .where(eq(users.id, user.id));
    await store(tx);
    await queueUndoableNotice(tx, 'second-step-on', user);
    return { ...(await readPasskeys(env, tx, user.id)), recoveryCodes: codes };
  });
  mails.wake();
  return result;
}

/**
 * Switches the second step off and deletes the recovery codes. Throws `confirmation_needed`, or `passkey_needed` if the user
 * must have a second step.
 */
export async function switchSecondStepOff(
  { db, env, mails }: Pick<SecondStepDeps, 'db' | 'env' | 'mails'>,
  sessionUser: SessionUser,
): Promise<PasskeyList> {
  const list = await inTransaction(db, async (tx) => {
    const user = await lockConfirmedUser(env, tx, sessionUser);
    if (isSecondStepRequired(env, user)) {
      throw new AppError('passkey_needed', { message: 'Administrators need the second step here.' });
    }
    await disableSecondStep(tx, user);
    return readPasskeys(env, tx, user.id);
  });
  mails.wake();
  return list;
}

/** Deletes the recovery codes of a user and, if their second step is on, switches it off and queues a mail about it. */
export async function disableSecondStep(tx: Transaction, user: LockedUser): Promise<void> {
  await removeRecoveryCodes(tx, user.id);
  if (!user.secondStep) return;
  await tx.orm.update(users).set({ secondStep: false, secondStepSince: null }).where(eq(users.id, user.id));
  await queueNotice(tx, 'second-step-off', user);
}

/**
 * Switches the second step of a user off if it was switched on at `since` (a timestamp) or later. Otherwise only deletes
 * the recovery codes made since then. Returns the user with the new state of the second step.
 */
export async function disableSecondStepSince(
  tx: Transaction,
  user: LockedUser,
  since: string,
): Promise<LockedUser> {
  const isNew = and(eq(users.id, user.id), gte(users.secondStepSince, since));
  const [row] = await tx.orm.select({ id: users.id }).from(users).where(isNew);
  if (row === undefined) {
    const isTheirs = eq(recoveryCodes.userId, user.id);
    await tx.orm.delete(recoveryCodes).where(and(isTheirs, gte(recoveryCodes.createdAt, since)));
    return user;
  }
  await disableSecondStep(tx, user);
  return { ...user, secondStep: false };
}

/** Replaces the recovery codes and returns the new ones. Throws `confirmation_needed` or `second_step_off`. */
export async function renewRecoveryCodes(
  deps: SecondStepDeps,
  sessionUser: SessionUser,
  caller: Caller,
): Promise<PasskeyList & { recoveryCodes: string[] }> {
  const { db, env, mails } = deps;
  const { userId } = sessionUser;
  await requireConfirmed(env, db, sessionUser);
  await requireSecondStep(env, db, await requireUserRow(db, userId));
  const { codes, store } = await makeRecoveryCodes(deps, userId, caller);
  const list = await inTransaction(db, async (tx) => {
    const user = await lockConfirmedUser(env, tx, sessionUser);
    await requireSecondStep(env, tx, user);
    await store(tx);
    await queueNotice(tx, 'recovery-codes-renewed', user);
    return readPasskeys(env, tx, user.id);
  });
  mails.wake();
  return { ...list, recoveryCodes: codes };
}

async function requireSecondStep(env: PasskeyEnv, handle: Handle, user: SecondStepUser): Promise<void> {
  if (!(await hasSecondStep(env, handle, user))) throw new AppError('second_step_off');
}

/** Creates the ticket for the second step of a login whose password was right. Null if the user needs no second step. */
export async function openTicket(env: PasskeyEnv, tx: Transaction, user: UserRow): Promise<string | null> {
  if (!(await hasSecondStep(env, tx, user))) return null;
  const ticket = newToken();
  await storeChallenge(tx, ticket, { purpose: 'ticket', userId: user.id });
  return ticket;
}
