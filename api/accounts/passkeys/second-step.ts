import { and, eq, gte, sql } from 'drizzle-orm';
import type { LockedUser } from '#api/accounts/queries.ts';
import { recoveryCodes } from '#api/db/schema/passkeys.ts';
import { users } from '#api/db/schema/users.ts';
import { inTransaction, type Transaction } from '#api/db/transaction.ts';
import type { Deps } from '#api/deps.ts';
import { AppError } from '#api/errors.ts';
import type { Caller } from '#api/http/client-address.ts';
import { newToken } from '#api/http/session/secret-tokens.ts';
import { queueNotice, queueUndoableNotice } from '#api/mail/mail-queue.ts';
import type { PasskeyList } from '#shared/accounts/passkeys/schema.ts';
import { storeChallenge } from './challenges.ts';
import { lockConfirmed, type Owner, requireConfirmed } from './confirm-identity.ts';
import { countPasskeys, hasSecondStep, isSecondStepRequired, readPasskeys } from './queries.ts';
import { makeRecoveryCodes, removeRecoveryCodes } from './recovery-codes.ts';

type SecondStepDeps = Pick<Deps, 'db' | 'env' | 'mails' | 'passwords'>;

/**
 * Switches on that a login by password asks for a passkey. Recovery codes are made and returned only if it was off before: a
 * repetition has no effect. Throws `confirmation_needed` or `no_passkey`.
 */
export async function switchSecondStepOn(
  deps: SecondStepDeps,
  owner: Owner,
  caller: Caller,
): Promise<PasskeyList & { recoveryCodes?: string[] }> {
  const { db, env, mails } = deps;
  await requireConfirmed(env, db, owner);
  const { codes, store } = await makeRecoveryCodes(deps, owner.userId, caller);
  const result = await inTransaction(db, async (tx) => {
    const user = await lockConfirmed(env, tx, owner);
    if ((await countPasskeys(tx, user.id)) === 0) throw new AppError('no_passkey');
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

/** Switches the second step off, with the recovery codes. Throws `confirmation_needed`, or `passkey_needed` where it is required. */
export async function switchSecondStepOff(
  { db, env, mails }: Pick<SecondStepDeps, 'db' | 'env' | 'mails'>,
  owner: Owner,
): Promise<PasskeyList> {
  const list = await inTransaction(db, async (tx) => {
    const user = await lockConfirmed(env, tx, owner);
    if (isSecondStepRequired(env, user)) {
      throw new AppError('passkey_needed', { message: 'Administrators need the second step here.' });
    }
    await switchOff(tx, user);
    return readPasskeys(env, tx, user.id);
  });
  mails.wake();
  return list;
}

/** Switches the second step of a locked user off, if it is on, and removes the recovery codes. */
export async function switchOff(tx: Transaction, user: LockedUser): Promise<void> {
  await removeRecoveryCodes(tx, user.id);
  if (!user.secondStep) return;
  await tx.orm.update(users).set({ secondStep: false, secondStepSince: null }).where(eq(users.id, user.id));
  await queueNotice(tx, 'second-step-off', user);
}

/**
 * Switches the second step of a locked user off if it was switched on at `since` or later, else removes only the recovery codes that
 * were made since then. Returns the user as they are now.
 */
export async function switchOffSince(tx: Transaction, user: LockedUser, since: string): Promise<LockedUser> {
  const isNew = and(eq(users.id, user.id), gte(users.secondStepSince, since));
  const [row] = await tx.orm.select({ id: users.id }).from(users).where(isNew);
  if (row === undefined) {
    const isTheirs = eq(recoveryCodes.userId, user.id);
    await tx.orm.delete(recoveryCodes).where(and(isTheirs, gte(recoveryCodes.createdAt, since)));
    return user;
  }
  await switchOff(tx, user);
  return { ...user, secondStep: false };
}

/** Replaces the recovery codes. Throws `confirmation_needed` or `second_step_off`. */
export async function renewRecoveryCodes(
  deps: SecondStepDeps,
  owner: Owner,
  caller: Caller,
): Promise<PasskeyList & { recoveryCodes: string[] }> {
  const { db, env, mails } = deps;
  await requireConfirmed(env, db, owner);
  const { codes, store } = await makeRecoveryCodes(deps, owner.userId, caller);
  const list = await inTransaction(db, async (tx) => {
    const user = await lockConfirmed(env, tx, owner);
    if (!(await hasSecondStep(env, tx, user))) throw new AppError('second_step_off');
    await store(tx);
    await queueNotice(tx, 'recovery-codes-renewed', user);
    return readPasskeys(env, tx, user.id);
  });
  mails.wake();
  return { ...list, recoveryCodes: codes };
}

/** A ticket for the second step of a login whose password was right; null when the user has none. */
export async function openTicket(
  { env }: Pick<Deps, 'env'>,
  tx: Transaction,
  user: Parameters<typeof hasSecondStep>[2],
): Promise<string | null> {
  if (!(await hasSecondStep(env, tx, user))) return null;
  const ticket = newToken();
  await storeChallenge(tx, ticket, { purpose: 'ticket', userId: user.id });
  return ticket;
}
