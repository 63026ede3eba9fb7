import { randomInt } from 'node:crypto';
import { sql } from 'drizzle-orm';
import { users } from '#api/db/schema/users.ts';
import { inTransaction, type Transaction } from '#api/db/transaction.ts';
import type { Deps } from '#api/deps.ts';
import { AppError } from '#api/errors.ts';
import { findUser, type UserRow } from '#api/http/session/session-user.ts';
import { closeSession, openSession } from '#api/http/session/sessions.ts';
import { type LiveEvent, userPoints } from '#api/live/live-events.ts';
import { queueVerification, withMailDelay } from '#api/mail/mail-queue.ts';
import { creditPoints } from '#api/points/ledger.ts';
import type { RegisterInput } from '#shared/accounts/schema.ts';
import { REFERRAL_SIGNUP_POINTS, SIGNUP_BONUS_POINTS } from '#shared/points/constants.ts';

/** Without characters that are easily confused. */
const CODE_ALPHABET = '23456789ABCDEFGHJKLMNPQRSTUVWXYZ';
const CODE_LENGTH = 10;

export type SignedIn = { user: UserRow; token: string };

type Registration = RegisterInput & {
  /** This browser's previous session, which ends. */
  previousToken: string | null;
};

/** Creates an account with its sign-up bonus, credits the referrer, logs the user in and queues the verification mail. */
export async function register(
  { db, limits, live, mails, passwords }: Deps,
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

  const bonus = {
    userId: account.id,
    delta: SIGNUP_BONUS_POINTS,
    reason: 'signup',
    source: 'signup',
  } as const;
  await creditPoints(tx, bonus);
  const referral = await creditReferrer(tx, account, REFERRAL_SIGNUP_POINTS, 'signup');
  await queueVerification(tx, account.id, delayS);
  if (input.previousToken !== null) await closeSession(tx, input.previousToken);
  const token = await openSession(tx, account.id);
  const user = await findUser(tx, account.id);
  if (token === null || user === null) throw new Error('The new account is not there.');
  return { user, token, referral };
}

/** Credits the referrer. Returns the event to publish after the commit; null without a referrer. */
export async function creditReferrer(
  tx: Transaction,
  { id, referredBy }: NewAccount,
  delta: number,
  event: 'signup' | 'verified',
): Promise<LiveEvent | null> {
  if (referredBy === null) return null;
  const source = `referral:${id}:${event}`;
  const balance = await creditPoints(tx, { userId: referredBy, delta, reason: 'referral', source });
  return balance === null ? null : userPoints(referredBy, balance);
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
