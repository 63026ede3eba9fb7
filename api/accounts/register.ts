import { randomInt } from 'node:crypto';
import { sql } from 'drizzle-orm';
import { users } from '#api/db/schema/users.ts';
import { inTransaction, type Transaction } from '#api/db/transaction.ts';
import type { Deps } from '#api/deps.ts';
import { AppError } from '#api/errors.ts';
import type { Caller } from '#api/http/client-address.ts';
import { findUser } from '#api/http/session/session-user.ts';
import { closeSession, openSession } from '#api/http/session/sessions.ts';
import { type LiveEvent, userPoints } from '#api/live/live-events.ts';
import { queueVerification, withMailDelay } from '#api/mail/mail-queue.ts';
import { notifyOfFriend } from '#api/notifications/notify.ts';
import { creditPoints } from '#api/points/ledger.ts';
import { USERNAME_RESERVED_MESSAGE } from '#shared/accounts/constants.ts';
import type { RegisterInput } from '#shared/accounts/schema.ts';
import { isReservedUsername } from '#shared/accounts/username-rules.ts';
import {
  REFERRAL_SIGNUP_POINTS,
  REFERRAL_SIGNUPS_PER_DAY_MAX,
  REFERRAL_VERIFIED_POINTS,
  SIGNUP_BONUS_POINTS,
} from '#shared/points/constants.ts';
import { isEmailReserved } from './email-changes.ts';
import { hashNewPassword } from './passwords/new-password.ts';
import { lockUser } from './queries.ts';
import type { SignedIn } from './signed-in.ts';

/** Without characters that are easily confused. */
const CODE_ALPHABET = '23456789ABCDEFGHJKLMNPQRSTUVWXYZ';
const CODE_LENGTH = 10;

type Registration = RegisterInput & {
  caller: Caller;
  /** This browser's previous session, which ends. */
  previousToken: string | null;
};

/** Creates an account with its sign-up bonus, credits the referrer, logs the user in and queues the verification mail. */
export async function register(deps: Deps, input: Registration): Promise<SignedIn> {
  const { db, limits, live, mails } = deps;
  if (isReservedUsername(input.username)) throw reservedName();
  const newPassword = { password: input.password, field: 'password' };
  const passwordHash = await hashNewPassword(deps, newPassword, input, input.caller);

  const { referral, ...signedIn } = await withMailDelay(
    limits.verificationsOfAddress,
    input.email,
    (delayS) => inTransaction(db, (tx) => openAccount(tx, input, { passwordHash, delayS })),
  );
  mails.wake();
  for (const event of referral) live.publish(event);
  return signedIn;
}

export const reservedName = () => new AppError('taken', { message: USERNAME_RESERVED_MESSAGE });

async function openAccount(
  tx: Transaction,
  input: Registration,
  { passwordHash, delayS }: { passwordHash: string; delayS: number },
): Promise<SignedIn & { referral: LiveEvent[] }> {
  const account = await insertAccount(tx, input, passwordHash);
  if (account === null || (await isEmailReserved(tx, input.email, account.id))) throw new AppError('taken');

  await creditSignupBonus(tx, account.id);
  const referral = await creditSignUp(tx, account);
  await queueVerification(tx, account.id, delayS);
  if (input.previousToken !== null) await closeSession(tx, input.previousToken);
  const token = await openSession(tx, account.id, input.caller);
  const user = await findUser(tx, account.id);
  if (token === null || user === null) throw new Error('The new account is not there.');
  return { user, token, referral };
}

/** Credits the sign-up bonus of a new account, once. */
export async function creditSignupBonus(tx: Transaction, userId: number): Promise<void> {
  await creditPoints(tx, { userId, delta: SIGNUP_BONUS_POINTS, reason: 'signup', source: 'signup' });
}

/** Credits the referrer of a new account, unless many have been paid for lately. Returns the events to publish. */
async function creditSignUp(tx: Transaction, account: NewAccount): Promise<LiveEvent[]> {
  const { referredBy } = account;
  // Locked before the entries are counted, so that concurrent sign-ups are not all paid for.
  if (referredBy === null || (await lockUser(tx, referredBy)) === null) return [];
  const [{ paid }] = await tx.sql<[{ paid: number }]>`
    select count(*)::int as paid from point_entries
    where user_id = ${referredBy} and reason = 'referral' and source like '%:signup'
      and created_at > now() - interval '24 hours'`;
  if (paid >= REFERRAL_SIGNUPS_PER_DAY_MAX) return [];
  return creditReferrer(tx, account, REFERRAL_SIGNUP_POINTS, 'signup');
}

/** Credits the referrer of a verified account, also for the sign-up if that has not been paid. Returns the events to publish. */
export async function creditVerified(tx: Transaction, account: NewAccount): Promise<LiveEvent[]> {
  const signUp = await creditReferrer(tx, account, REFERRAL_SIGNUP_POINTS, 'signup');
  return [...signUp, ...(await creditReferrer(tx, account, REFERRAL_VERIFIED_POINTS, 'verified'))];
}

/** Credits and tells the referrer, if there is one, once for each event. Returns the events to publish after the commit. */
async function creditReferrer(
  tx: Transaction,
  { id, referredBy }: NewAccount,
  delta: number,
  event: 'signup' | 'verified',
): Promise<LiveEvent[]> {
  if (referredBy === null) return [];
  const source = `referral:${id}:${event}`;
  const balance = await creditPoints(tx, { userId: referredBy, delta, reason: 'referral', source });
  if (balance === null) return [];
  const kind = event === 'signup' ? 'referral_joined' : 'referral_verified';
  const told = await notifyOfFriend(tx, { userId: referredBy, friendId: id, kind });
  return [userPoints(referredBy, balance), ...told];
}

type NewAccount = Pick<typeof users.$inferSelect, 'id' | 'referredBy'>;

/** Null when the name or address is taken. Unknown referral codes are ignored. */
async function insertAccount(
  { orm }: Transaction,
  input: RegisterInput,
  passwordHash: string,
): Promise<NewAccount | null> {
  const codeOfReferrer = normaliseCode(input.referralCode);
  const [row] = await orm
    .insert(users)
    .values({
      username: input.username,
      email: input.email,
      passwordHash,
      referralCode: newReferralCode(),
      referredBy: sql`(select ${users.id} from ${users} where ${users.referralCode} = ${codeOfReferrer})`,
    })
    .onConflictDoNothing()
    .returning({ id: users.id, referredBy: users.referredBy });
  return row ?? null;
}

function normaliseCode(code: string | undefined): string | null {
  const plain = code?.trim().toUpperCase() ?? '';
  return /^[0-9A-Z]{1,20}$/.test(plain) ? plain : null;
}

/** 50 random bits, so that collisions are unlikely. */
export function newReferralCode(): string {
  return Array.from({ length: CODE_LENGTH }, () =>
    CODE_ALPHABET.charAt(randomInt(CODE_ALPHABET.length)),
  ).join('');
}
