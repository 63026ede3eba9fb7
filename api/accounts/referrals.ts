import { randomInt } from 'node:crypto';
import { and, eq, gt, like, sql } from 'drizzle-orm';
import { pointEntries } from '#api/db/schema/point-entries.ts';
import type { users } from '#api/db/schema/users.ts';
import { daysAgo } from '#api/db/timestamps.ts';
import type { Transaction } from '#api/db/transaction.ts';
import { type LiveEvent, userChanged } from '#api/live/live-events.ts';
import { notifyOfFriend } from '#api/notifications/notify.ts';
import { creditPoints } from '#api/points/ledger.ts';
import {
  REFERRAL_SIGNUP_POINTS,
  REFERRAL_SIGNUPS_PER_DAY_MAX,
  REFERRAL_VERIFIED_POINTS,
} from '#shared/points/constants.ts';
import { lockUser } from './queries.ts';

/** Digits and letters without 0, 1, I and O, which are easily confused. */
const CODE_ALPHABET = '23456789ABCDEFGHJKLMNPQRSTUVWXYZ';
const CODE_LENGTH = 10;

/** An account with the id of its referrer, if any. */
export type ReferredAccount = Pick<typeof users.$inferSelect, 'id' | 'referredBy'>;

/**
 * The stored form (upper case) of a referral code that was typed or taken from a link. Null if there is none, or if it has
 * other characters than A to Z and digits: PostgreSQL would refuse some of them, and with them the sign-up. Whether the code exists
 * is not checked.
 */
export function normaliseReferralCode(code: string | undefined): string | null {
  const plain = code?.trim().toUpperCase() ?? '';
  return /^[0-9A-Z]+$/.test(plain) ? plain : null;
}

/** Creates a referral code with 50 random bits, so that collisions are unlikely. */
export function newReferralCode(): string {
  return Array.from({ length: CODE_LENGTH }, () =>
    CODE_ALPHABET.charAt(randomInt(CODE_ALPHABET.length)),
  ).join('');
}

/**
 * Credits the referrer of a new account, unless `REFERRAL_SIGNUPS_PER_DAY_MAX` sign-ups were credited in the last 24 hours.
 * Returns the live events to publish after the commit.
 */
export async function creditReferrerOfSignUp(
  tx: Transaction,
  account: ReferredAccount,
): Promise<LiveEvent[]> {
  const { referredBy } = account;
  // Locked before the entries are counted, so that concurrent sign-ups cannot exceed the maximum.
  if (referredBy === null || (await lockUser(tx, referredBy)) === null) return [];
  const paid = await tx.orm.$count(
    pointEntries,
    and(
      eq(pointEntries.userId, referredBy),
      // A literal instead of a parameter, so that the partial index matches.
      sql`${pointEntries.reason} = 'referral'`,
      like(pointEntries.source, '%:signup'),
      gt(pointEntries.createdAt, daysAgo(1)),
    ),
  );
  if (paid >= REFERRAL_SIGNUPS_PER_DAY_MAX) return [];
  return creditReferrer(tx, account, REFERRAL_SIGNUP_POINTS, 'signup');
}

/**
 * Credits the referrer of an account whose email was verified, and credits the sign-up if that has not happened yet. Returns
 * the live events to publish after the commit.
 */
export async function creditReferrerOfVerified(
  tx: Transaction,
  account: ReferredAccount,
): Promise<LiveEvent[]> {
  const signUp = await creditReferrer(tx, account, REFERRAL_SIGNUP_POINTS, 'signup');
  return [...signUp, ...(await creditReferrer(tx, account, REFERRAL_VERIFIED_POINTS, 'verified'))];
}

/** Credits and notifies the referrer, if any, once for each step. Returns the live events to publish after the commit. */
async function creditReferrer(
  tx: Transaction,
  { id, referredBy }: ReferredAccount,
  delta: number,
  step: 'signup' | 'verified',
): Promise<LiveEvent[]> {
  if (referredBy === null) return [];
  const source = `referral:${id}:${step}`;
  const balance = await creditPoints(tx, { userId: referredBy, delta, reason: 'referral', source });
  if (balance === null) return [];
  const kind = step === 'signup' ? 'referral_joined' : 'referral_verified';
  const events = await notifyOfFriend(tx, { userId: referredBy, friendId: id, kind });
  return [userChanged(referredBy, balance), ...events];
}
