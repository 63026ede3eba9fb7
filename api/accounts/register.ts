import { randomInt } from 'node:crypto';
import { sql } from 'drizzle-orm';
import { users } from '#api/db/schema/users.ts';
import { inTransaction, type Transaction } from '#api/db/transaction.ts';
import type { Deps } from '#api/deps.ts';
import { AppError } from '#api/errors.ts';
import { findUser, type UserRow } from '#api/http/session/session-user.ts';
import { closeSession, openSession } from '#api/http/session/sessions.ts';
import { type LiveEvent, userPoints } from '#api/live/live-events.ts';
import { withMailDelay } from '#api/mail/mail-delay.ts';
import { queueVerification } from '#api/mail/mail-queue.ts';
import { creditPoints } from '#api/points/ledger.ts';
import type { RegisterInput } from '#shared/accounts/schema.ts';
import { REFERRAL_SIGNUP_POINTS, SIGNUP_BONUS_POINTS } from '#shared/points/constants.ts';

/** Letters and digits that are not mistaken for each other. */
const CODE_ALPHABET = '23456789ABCDEFGHJKLMNPQRSTUVWXYZ';
const CODE_LENGTH = 10;

export type SignedIn = { user: UserRow; token: string };

type Registration = RegisterInput & {
  /** The session that this browser had before: it ends with the new one. */
  previousToken: string | null;
};

/**
 * Makes the account with its bonus, pays whoever referred it, signs the new user in, and queues the mail that
 * lets them confirm their address.
 */
export async function register(
  { db, limits, live, mails, passwords }: Pick<Deps, 'db' | 'limits' | 'live' | 'mails' | 'passwords'>,
  input: Registration,
): Promise<SignedIn> {
  const passwordHash = await passwords.hash(input.password);

  const { referral, ...signedIn } = await withMailDelay(
    limits.verificationsOfAddress,
    input.email,
    (delayS) => inTransaction(db, (tx) => openAccount(tx, input, { passwordHash, delayS })),
  );
  mails.wake();
  if (referral !== null) live.publish(referral);
  return signedIn;
}

async function openAccount(
  tx: Transaction,
  input: Registration,
  { passwordHash, delayS }: { passwordHash: string; delayS: number },
): Promise<SignedIn & { referral: LiveEvent | null }> {
  const account = await insertAccount(tx, input, passwordHash);
  if (account === null) throw new AppError('taken');

  await creditPoints(tx, {
    userId: account.id,
    delta: SIGNUP_BONUS_POINTS,
    reason: 'signup',
    source: 'signup',
  });
  const referral = await creditReferrer(tx, account);
  await queueVerification(tx, account.id, delayS);
  if (input.previousToken !== null) await closeSession(tx, input.previousToken);
  const token = await openSession(tx, account.id);
  const user = await findUser(tx, account.id);
  if (token === null || user === null) throw new Error('The new account is not there.');
  return { user, token, referral };
}

/** What the referrer's sockets are told after the commit; null when nobody referred this user. */
async function creditReferrer(tx: Transaction, { id, referredBy }: NewAccount): Promise<LiveEvent | null> {
  if (referredBy === null) return null;
  const source = `referral:${id}:signup`;
  const credit = { userId: referredBy, delta: REFERRAL_SIGNUP_POINTS, reason: 'referral', source } as const;
  const balance = await creditPoints(tx, credit);
  return balance === null ? null : userPoints(referredBy, balance);
}

type NewAccount = Pick<typeof users.$inferSelect, 'id' | 'referredBy'>;

/** Null when the name or the address is taken. An unknown referral code counts as none. */
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

/** 50 random bits: that two are the same is not to be expected. */
export function newReferralCode(): string {
  return Array.from({ length: CODE_LENGTH }, () =>
    CODE_ALPHABET.charAt(randomInt(CODE_ALPHABET.length)),
  ).join('');
}
