import type { Deps } from '#api/deps.ts';
import { DIGEST_INTERVAL_DAYS } from '#shared/notifications/constants.ts';

/** Weekly mails that a process queues per minute: enough for 140,000 a day. */
const MAILS_PER_ROUND = 100;

/** Queues the weekly mails that are due, and updates `digest_at` in the same statement. */
export async function queueDigests({ db, mails }: Pick<Deps, 'db' | 'mails'>): Promise<void> {
  // Tagged SQL: an insert from a locking query. `skip locked` gives concurrent processes different users.
  const queued = await db.sql`
    with due as (
      select id from users
      where is_verified and wants_digest and digest_at <= now() - make_interval(days => ${DIGEST_INTERVAL_DAYS})
        and not is_suspended and deletion_due_at is null
      order by digest_at limit ${MAILS_PER_ROUND} for no key update skip locked
    ), updated as (
      update users set digest_at = now() from due where users.id = due.id
    )
    insert into mail_queue (purpose, user_id) select 'digest', id from due
    on conflict (user_id) where purpose = 'digest' and failed_at is null do nothing`;
  if (queued.count > 0) mails.wake();
}
