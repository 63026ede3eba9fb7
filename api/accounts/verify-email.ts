import { and, eq, not, sql } from 'drizzle-orm';
import { users } from '#api/db/schema/users.ts';
import { inTransaction } from '#api/db/transaction.ts';
import type { Deps } from '#api/deps.ts';
import { AppError } from '#api/errors.ts';
import type { UserRow } from '#api/http/session/session-user.ts';
import { userPoints } from '#api/live/live-events.ts';
import { findTokenUser } from '#api/mail/email-tokens.ts';
import { queueVerification, unqueueMails } from '#api/mail/mail-queue.ts';
import type { MessageResponse } from '#shared/accounts/schema.ts';
import { REFERRAL_VERIFIED_POINTS } from '#shared/points/constants.ts';
import { lockUser } from './queries.ts';
import { creditReferrer } from './register.ts';

/** Queues another verification mail, unless the email is verified. Throws `rate_limited`. */
export async function resendVerification(
  { db, limits, mails }: Deps,
  { id, email, isVerified }: UserRow,
): Promise<MessageResponse> {
  if (isVerified) return { message: 'Your email is already verified.' };
  await limits.verificationsOfUser.take(id);
  await limits.verificationsOfAddress.take(email.toLowerCase());
  await queueVerification(db, id);
  mails.wake();
  return { message: `A new link is on its way to ${email}.` };
}

/**
 * Verifies an email with a token and credits the referrer once. Later uses of the token succeed without effect until it
 * expires: mail scanners open links too.
 */
export async function verifyEmail({ db, live }: Deps, token: string): Promise<MessageResponse> {
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
      .returning({ id: users.id, referredBy: users.referredBy, points: users.points, rev: users.rev });
    if (verified === undefined) return [];
    await unqueueMails(tx, user, 'verify');
    const referral = await creditReferrer(tx, verified, REFERRAL_VERIFIED_POINTS, 'verified');
    return [userPoints(user.id, verified), referral];
  });
  for (const event of events) if (event !== null) live.publish(event);
  return { message: 'Your email has been verified.' };
}
