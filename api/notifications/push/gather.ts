import { inTransaction } from '#api/db/transaction.ts';
import type { Deps } from '#api/deps.ts';
import { PUSHES_PER_DAY_MAX } from '#shared/notifications/constants.ts';

/** Notifications of a user within this time are gathered into one message. */
const WINDOW_S = 30;
/** Bounds the work of a round, for example after an outage. */
const USERS_PER_ROUND = 1_000;
/** The window of tests, which run without rate limits and should not wait. */
const TEST_WINDOW_S = 1;

/**
 * Queues push messages about the notifications that are still to be pushed. A user's unread notifications are gathered into one
 * message, which is sent to each of their devices, at most `PUSHES_PER_DAY_MAX` times a day. Only one process gathers at a
 * time, and each notification is gathered once; those beyond a round's limit are left to the next round.
 */
export async function gatherPushes({ db, env, pushes }: Pick<Deps, 'db' | 'env' | 'pushes'>): Promise<void> {
  const windowS = env.rateLimits ? WINDOW_S : TEST_WINDOW_S;
  const messages = await inTransaction(db, async ({ sql }) => {
    const [lock] = await sql`select from server_state for no key update skip locked`;
    if (lock === undefined) return 0;
    // Tagged SQL: one statement marks the notifications and queues their messages. It skips locked ones, such as those being
    // marked as read; the next round finds them. A subscription that is being deleted is skipped, too: at the end of the statement
    // it would violate the foreign key. Only the newest notification of a message gets `pushed_at`, by which the
    // messages of a day are counted.
    const queued = await sql`
      with due as materialized (
        select id, user_id, read_at, created_at from notifications
        where is_push_due and user_id in (
          select user_id from notifications
          where is_push_due and created_at <= now() - make_interval(secs => ${windowS})
          group by user_id order by min(id) limit ${USERS_PER_ROUND}
        )
        order by id for no key update skip locked
      ), message as (
        select user_id, min(id) as first_id, max(id) as last_id from due
        where read_at is null and created_at > now() - interval '1 day'
          and exists (
            select from push_subscriptions join sessions on sessions.id = session_id
            where sessions.user_id = due.user_id
          )
          and (
            select count(*) from notifications earlier
            where earlier.user_id = due.user_id and earlier.pushed_at > now() - interval '1 day'
          ) < ${PUSHES_PER_DAY_MAX}
        group by user_id
      ), taken as (
        update notifications set is_push_due = false, pushed_at = case when last_id is not null then now() end
        from due left join message on message.last_id = due.id
        where notifications.id = due.id
      )
      insert into push_queue (subscription_id, first_id, last_id)
      select push_subscriptions.id, first_id, last_id
      from message join sessions using (user_id) join push_subscriptions on session_id = sessions.id
      for key share of push_subscriptions skip locked`;
    return queued.count;
  });
  if (messages > 0) pushes.wake();
}
