import type { Database } from '#api/db/client.ts';
import { SESSION_IDLE_DAYS, SESSION_MAX_DAYS } from '#shared/accounts/constants.ts';

const INTERVAL_MS = 3_600_000;
const RECEIPTS_KEPT_DAYS = 90;
const FAILED_MAILS_KEPT_DAYS = 30;
const ENDED_JOBS_KEPT_DAYS = 30;

/** Removes what has run out: sessions, counters of limits, receipts, mailed links, mails given up, jobs that have ended. Several processes may do so at once. */
export async function removeExpired({ sql }: Database): Promise<void> {
  await sql`
    delete from sessions
    where last_seen_at < now() - make_interval(days => ${SESSION_IDLE_DAYS})
      or created_at < now() - make_interval(days => ${SESSION_MAX_DAYS})`;
  await sql`delete from rate_limits where expire < now()`;
  await sql`
    delete from mutation_receipts where created_at < now() - make_interval(days => ${RECEIPTS_KEPT_DAYS})`;
  await sql`delete from email_tokens where expires_at < now()`;
  await sql`
    delete from mail_queue where failed_at < now() - make_interval(days => ${FAILED_MAILS_KEPT_DAYS})`;
  await sql`delete from admin_jobs where ended_at < now() - make_interval(days => ${ENDED_JOBS_KEPT_DAYS})`;
}

/** Does so now and every hour until the returned function is called, which waits for a round under way. */
export function startHousekeeping(db: Database, onError: (error: unknown) => void): () => Promise<void> {
  let round = removeExpired(db).catch(onError);
  const timer = setInterval(() => {
    round = removeExpired(db).catch(onError);
  }, INTERVAL_MS);
  return async () => {
    clearInterval(timer);
    await round;
  };
}
