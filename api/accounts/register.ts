import { eq, sql } from 'drizzle-orm';
import { users } from '#api/db/schema/users.ts';
import { inTransaction, type Transaction } from '#api/db/transaction.ts';
import type { Deps } from '#api/deps.ts';
import { AppError } from '#api/errors.ts';
import { findUser } from '#api/http/session/session-user.ts';
import { closeSession, openSession } from '#api/http/session/sessions.ts';
import type { LiveEvent } from '#api/live/live-events.ts';
import { queueVerification, withMailDelay } from '#api/mail/mail-queue.ts';
import { creditPoints } from '#api/points/ledger.ts';
import type { RegisterInput } from '#shared/accounts/schema.ts';
import { isReservedUsername } from '#shared/accounts/username-rules.ts';
import { SIGNUP_BONUS_POINTS } from '#shared/points/constants.ts';
import { isEmailReserved } from './email-changes.ts';
import type { Browser, LoginResult } from './login-result.ts';
import { hashNewPassword } from './passwords/new-password.ts';
import {
  creditReferrerOfSignUp,
  newReferralCode,
  normaliseReferralCode,
  type ReferredAccount,
} from './referrals.ts';

type Registration = RegisterInput & Browser;

/**
 * Creates an account with its sign-up bonus, credits the referrer, logs the user in and queues the verification mail. Throws
 * `taken` or `weak_password`.
 */
export async function register(deps: Deps, input: Registration): Promise<LoginResult> {
  const { db, limits, live, mails } = deps;
  if (isReservedUsername(input.username)) throw usernameReserved();
  const newPassword = { password: input.password, field: 'password' };
  const passwordHash = await hashNewPassword(deps, newPassword, input, input.caller);

  const { referralEvents, ...loggedIn } = await withMailDelay(
    limits.verificationsOfAddress,
    input.email,
    (delayS) => inTransaction(db, (tx) => openAccount(tx, input, { passwordHash, delayS })),
  );
  mails.wake();
  for (const event of referralEvents) live.publish(event);
  return loggedIn;
}

export const USERNAME_RESERVED_MESSAGE = 'This username is reserved. Please choose another one.';

export const usernameReserved = () => new AppError('taken', { message: USERNAME_RESERVED_MESSAGE });

async function openAccount(
  tx: Transaction,
  input: Registration,
  { passwordHash, delayS }: { passwordHash: string; delayS: number },
): Promise<LoginResult & { referralEvents: LiveEvent[] }> {
  const account = await insertAccount(tx, input, passwordHash);
  if (account === null || (await isEmailReserved(tx, input.email, account.id))) throw new AppError('taken');

  await creditSignupBonus(tx, account.id);
  const referralEvents = await creditReferrerOfSignUp(tx, account);
  await queueVerification(tx, account.id, delayS);
  if (input.previousToken !== null) await closeSession(tx, input.previousToken);
  const token = await openSession(tx, account.id, input.caller);
  const user = await findUser(tx, account.id);
  if (token === null || user === null) throw new Error('The new account was not found.');
  return { user, token, referralEvents };
}

/** Credits the sign-up bonus; an account gets it only once. */
export async function creditSignupBonus(tx: Transaction, userId: number): Promise<void> {
  await creditPoints(tx, { userId, delta: SIGNUP_BONUS_POINTS, reason: 'signup', source: 'signup' });
}

/**
 * Inserts the account. Null if the username or email is taken. Unknown referral codes are ignored, as are those of accounts that
 * are being deleted.
 */
async function insertAccount(
  { orm }: Transaction,
  input: RegisterInput,
  passwordHash: string,
): Promise<ReferredAccount | null> {
  const codeOfReferrer = normaliseReferralCode(input.referralCode);
  // The lock keeps the referrer from being deleted before the account is stored. Only a deletion has a lock that conflicts with it.
  const referrer = orm
    .select({ id: users.id })
    .from(users)
    .where(eq(users.referralCode, codeOfReferrer ?? ''))
    .for('key share', { skipLocked: true });
  const [row] = await orm
    .insert(users)
    .values({
      username: input.username,
      email: input.email,
      passwordHash,
      referralCode: newReferralCode(),
      referredBy: sql`${referrer}`,
    })
    .onConflictDoNothing()
    .returning({ id: users.id, referredBy: users.referredBy });
  return row ?? null;
}
