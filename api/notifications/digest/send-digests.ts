import type { Deps } from '#api/deps.ts';
import { queueDigests } from '#api/mail/digest-mail.ts';
import { DIGEST_INTERVAL_DAYS } from '#shared/notifications/constants.ts';

/** Weekly mails queued per minute: enough for 140,000 a day, and few enough not to delay other mails. */
const MAILS_PER_ROUND = 100;

/** Queues the weekly mails that are due, each only once even if several processes do so concurrently. */
export async function sendDigests({ db, mails }: Pick<Deps, 'db' | 'mails'>): Promise<void> {
  const queued = await queueDigests(db, { everyDays: DIGEST_INTERVAL_DAYS, limit: MAILS_PER_ROUND });
  if (queued > 0) mails.wake();
}
