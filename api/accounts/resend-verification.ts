import type { Deps } from '#api/deps.ts';
import type { UserRow } from '#api/http/session/session-user.ts';
import { queueVerification } from '#api/mail/mail-queue.ts';

/** Queues another verification mail and returns the message for the user. Throws `rate_limited`. */
export async function resendVerification(
  { db, limits, mails }: Deps,
  { id, email, isVerified }: UserRow,
): Promise<string> {
  if (isVerified) return 'Your email is already verified.';
  await limits.verificationsOfUser.take(id);
  await limits.verificationsOfAddress.take(email.toLowerCase());
  await queueVerification(db, id);
  mails.wake();
  return `A new link is on its way to ${email}.`;
}
