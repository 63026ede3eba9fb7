import type { Deps } from '#api/deps.ts';
import { queueReset } from '#api/mail/mail-queue.ts';
import type { ForgotPasswordInput } from '#shared/accounts/schema.ts';

/**
 * Queues a mail without checking whether an account has the address, which the mail job does: answer and response time are
 * the same for every address. Beyond the address's limit nothing is queued.
 */
export async function forgotPassword(
  { db, limits, mails }: Deps,
  { email }: ForgotPasswordInput,
): Promise<void> {
  if (!(await limits.passwordRequestsOfAddress.tryTake(email.toLowerCase()))) return;
  await queueReset(db, email);
  mails.wake();
}
