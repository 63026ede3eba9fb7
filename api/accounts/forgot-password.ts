import type { Deps } from '#api/deps.ts';
import { queueReset } from '#api/mail/mail-queue.ts';
import type { ForgotPasswordInput } from '#shared/accounts/schema.ts';

/**
 * Queues a mail to an address, without a look at whether anybody has it: that is for whoever sends the mail. So
 * the answer and the time it takes are the same for every address. Past the address's limit nothing is queued.
 */
export async function forgotPassword(
  { db, limits, mails }: Pick<Deps, 'db' | 'limits' | 'mails'>,
  { email }: ForgotPasswordInput,
): Promise<void> {
  if (!(await limits.passwordRequestsOfAddress.tryTake(email.toLowerCase()))) return;
  await queueReset(db, email);
  mails.wake();
}
