import { and, eq, not, sql } from 'drizzle-orm';
import { users } from '#api/db/schema/users.ts';
import { inTransaction } from '#api/db/transaction.ts';
import type { Deps } from '#api/deps.ts';
import { AppError } from '#api/errors.ts';
import { userPoints } from '#api/live/live-events.ts';
import { findTokenUser } from '#api/mail/email-tokens.ts';
import { unqueueMails } from '#api/mail/mail-queue.ts';
import { creditPoints } from '#api/points/ledger.ts';
import { REFERRAL_VERIFIED_POINTS } from '#shared/points/constants.ts';
import { lockUser } from './queries.ts';

/**
 * Verifies an email with a token and credits the referrer once. Later uses of the token succeed without effect until it
 * expires: mail scanners open links too.
 */
export async function verifyEmail({ db, live }: Deps, token: string): Promise<void> {
  const events = await inTransaction(db, async (tx) => {
    const userId = await findTokenUser(tx, token, 'verify');
    const user = userId === null ? null : await lockUser(tx, userId);
    // Checked again under the lock: the address may have changed.
    if (user === null || (await findTokenUser(tx, token, 'verify')) === null) {
      throw new AppError('invalid_token');
    }
    const [verified] = await tx.orm
      .update(users)
      .set({ isVerified: true, rev: sql`${users.rev} + 1` })
      .where(and(eq(users.id, user.id), not(users.isVerified)))
      .returning({ referredBy: users.referredBy, points: users.points, rev: users.rev });
    if (verified === undefined) return [];
    await unqueueMails(tx, user, 'verify');
    const own = userPoints(user.id, verified);
    if (verified.referredBy === null) return [own];
    const balance = await creditPoints(tx, {
      userId: verified.referredBy,
      delta: REFERRAL_VERIFIED_POINTS,
      reason: 'referral',
      source: `referral:${user.id}:verified`,
    });
    return balance === null ? [own] : [own, userPoints(verified.referredBy, balance)];
  });
  for (const event of events) live.publish(event);
}
