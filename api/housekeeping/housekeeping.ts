import { lt, or, sql } from 'drizzle-orm';
import type { Database } from '#api/db/client.ts';
import { adminJobs } from '#api/db/schema/admin-jobs.ts';
import { emailTokens } from '#api/db/schema/email-tokens.ts';
import { mailQueue } from '#api/db/schema/mail-queue.ts';
import { mutationReceipts } from '#api/db/schema/mutation-receipts.ts';
import { rateLimits } from '#api/db/schema/rate-limits.ts';
import { sessions } from '#api/db/schema/sessions.ts';
import { daysAgo } from '#api/db/timestamps.ts';
import { SESSION_IDLE_TIMEOUT_DAYS, SESSION_MAX_AGE_DAYS } from '#shared/accounts/constants.ts';

const INTERVAL_MS = 3_600_000;
const RECEIPTS_KEPT_DAYS = 90;
const FAILED_MAILS_KEPT_DAYS = 30;
const ENDED_JOBS_KEPT_DAYS = 30;

/** Deletes expired sessions, rate limit counters, receipts, email tokens, failed mails and ended jobs. Safe in several processes at once. */
export async function removeExpired({ orm }: Database): Promise<void> {
  const isOver = or(
    lt(sessions.lastSeenAt, daysAgo(SESSION_IDLE_TIMEOUT_DAYS)),
    lt(sessions.createdAt, daysAgo(SESSION_MAX_AGE_DAYS)),
  );
  await orm.delete(sessions).where(isOver);
  await orm.delete(rateLimits).where(lt(rateLimits.expire, sql`now()`));
  await orm.delete(mutationReceipts).where(lt(mutationReceipts.createdAt, daysAgo(RECEIPTS_KEPT_DAYS)));
  await orm.delete(emailTokens).where(lt(emailTokens.expiresAt, sql`now()`));
  await orm.delete(mailQueue).where(lt(mailQueue.failedAt, daysAgo(FAILED_MAILS_KEPT_DAYS)));
  await orm.delete(adminJobs).where(lt(adminJobs.endedAt, daysAgo(ENDED_JOBS_KEPT_DAYS)));
}

/** Runs `removeExpired` now and every hour until the returned function is called, which waits for a running round. */
export function startHousekeeping(db: Database, onError: (error: unknown) => void): () => Promise<void> {
  return everyHour(() => removeExpired(db), onError);
}

/** Does `work` now and every hour, one round after the other, until the returned function is called, which waits for the last. */
export function everyHour(work: () => Promise<void>, onError: (error: unknown) => void): () => Promise<void> {
  let underWay = work().catch(onError);
  const timer = setInterval(() => {
    underWay = underWay.then(work).catch(onError);
  }, INTERVAL_MS);
  timer.unref();
  return () => {
    clearInterval(timer);
    return underWay;
  };
}
