import { and, eq, not, sql } from 'drizzle-orm';
import { users } from '#api/db/schema/users.ts';
import { inTransaction, type Transaction } from '#api/db/transaction.ts';
import type { Deps } from '#api/deps.ts';
import { AppError } from '#api/errors.ts';
import { requireUserRow, type UserRow } from '#api/http/session/session-user.ts';
import { userChanged } from '#api/live/live-events.ts';
import { queueVerification, unqueueMails } from '#api/mail/mail-queue.ts';
import type { MessageResponse } from '#shared/accounts/schema.ts';
import { confirmEmail } from './email-changes.ts';
import { type LockedUser, lockUserOfToken } from './queries.ts';
import { creditReferrerOfVerified } from './referrals.ts';

/** Queues another verification mail, unless the email is verified and no new email was requested. Throws `rate_limited`. */
export async function resendVerification(
  { db, limits, mails }: Deps,
  { id, email, pendingEmail, isVerified }: UserRow,
): Promise<MessageResponse> {
  if (isVerified && pendingEmail === null) return { message: 'Your email is already verified.' };
  const address = pendingEmail ?? email;
  await limits.verificationsOfUser.take(id);
  await limits.verificationsOfAddress.take(address.toLowerCase());
  await queueVerification(db, id);
  mails.wake();
  return { message: `A new link is on its way to ${address}.` };
}

/**
 * Verifies an email with a token and credits the referrer once. If the user has requested this email as a new one, it takes
 * effect now. Until the token expires, further uses succeed without effect, because mail scanners open links, too. Throws
 * `invalid_token`, and `taken` if another account has the email by now, or can still restore it.
 */
export async function verifyEmail(
  { db, live, mails }: Deps,
  token: string,
): Promise<MessageResponse & { userId: number }> {
  const { userId, isTaken, events } = await inTransaction(db, async (tx) => {
    const { user, storedToken } = await lockUserOfToken(tx, token, 'verify');
    let isTaken = false;
    if (user.email === storedToken.email) await setVerified(tx, user);
    else isTaken = !(await confirmEmail(tx, user, storedToken.email));
    const current = await requireUserRow(tx, user.id);
    // Nothing has changed, as the email was verified already.
    if (current.rev === user.rev) return { userId: user.id, isTaken, events: [] };
    const referral = isTaken || user.isVerified ? [] : await creditReferrerOfVerified(tx, user);
    return { userId: user.id, isTaken, events: [userChanged(user.id, current), ...referral] };
  });
  mails.wake();
  for (const event of events) live.publish(event);
  // Not thrown in the transaction: `confirmEmail` has withdrawn the request for the new email, which must be committed.
  if (isTaken)
    throw new AppError('taken', { message: 'Another account uses this email, or did until recently.' });
  return { userId, message: 'Your email has been verified.' };
}

async function setVerified(tx: Transaction, user: LockedUser): Promise<void> {
  const verified = await tx.orm
    .update(users)
    .set({ isVerified: true, rev: sql`${users.rev} + 1` })
    .where(and(eq(users.id, user.id), not(users.isVerified)));
  if (verified.count === 1 && user.pendingEmail === null) await unqueueMails(tx, user, 'verify');
}
