import type { Database } from '#api/db/client.ts';
import { inTransaction } from '#api/db/transaction.ts';
import type { Deps } from '#api/deps.ts';
import { PUSHES_PER_DAY_MAX } from '#shared/notifications/constants.ts';

/** The notifications of a user within this time become one message. */
const WINDOW_S = 30;
/** After an outage very many may wait. */
const USERS_PER_ROUND = 1_000;
/** Without rate limits, so that tests need not wait. */
const TEST_WINDOW_S = 1;

/**
 * Makes push messages of the notifications that wait for it: one for what has come together, for each device of a user who has
 * not read it meanwhile, up to the most a day. Each notification is taken once, by one process;
 * what a round leaves is for the next one.
 */
export async function gatherPushes({ db, env, pushes }: Pick<Deps, 'db' | 'env' | 'pushes'>): Promise<void> {
  const windowS = env.rateLimits ? WINDOW_S : TEST_WINDOW_S;
  if ((await queueMessages(db, windowS)) > 0) pushes.wake();
}

function queueMessages(db: Database, windowS: number): Promise<number> {
  return inTransaction(db, async ({ sql }) => {
    const [turn] = await sql`select from server_state for no key update skip locked`;
    if (turn === undefined) return 0;
    // Tagged SQL: one statement, which takes the notifications and queues their messages. What is being marked as read is left
    // to the next round.
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
      from message join sessions using (user_id) join push_subscriptions on session_id = sessions.id`;
    return queued.count;
  });
}
