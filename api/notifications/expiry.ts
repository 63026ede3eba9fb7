import { inTransaction, type Transaction } from '#api/db/transaction.ts';
import type { Deps } from '#api/deps.ts';
import type { LiveEvent } from '#api/live/live-events.ts';
import { NOTIFICATIONS_KEPT_DAYS } from '#shared/notifications/constants.ts';
import { toNotificationEvents } from './notify.ts';

/** Longer than the statement timeout: every vote cast in time is counted by then, and a poll that it completed is left out. */
const GRACE_S = 15;

/**
 * Notifies the makers of polls that have expired since the last round. `server_state` stores until when polls were considered,
 * so that each maker is notified once, by one process, even about polls that expired while no process was running.
 */
export async function notifyOfExpiry({ db, live }: Pick<Deps, 'db' | 'live'>): Promise<void> {
  const events = await inTransaction(db, async (tx) => {
    // After a long downtime many polls may have expired. Tagged SQL: the builder cannot change settings.
    await tx.sql`set local statement_timeout = 0`;
    // Other processes wait for the lock, and then continue where this round ends.
    const [round] = await tx.sql<{ since: string; until: string }[]>`
      select expiry_noted_until::text as since, (now() - make_interval(secs => ${GRACE_S}))::text as until
      from server_state where expiry_noted_until < now() - make_interval(secs => ${GRACE_S})
      for no key update`;
    if (round === undefined) return [];
    // Tagged SQL: an insert from a locking query. The lock waits for votes that are being written.
    const written = await tx.sql<{ userId: number }[]>`
      with expired as (
        select id, user_id from polls
        where active and closes_at > ${round.since}::timestamptz and closes_at <= ${round.until}::timestamptz
          and votes1 + votes2 < responses_wanted and closed_at is null and user_id is not null and not is_sample
        order by id for no key update
      )
      insert into notifications (user_id, kind, poll_id) select user_id, 'expired', id from expired
      on conflict do nothing returning user_id as "userId"`;
    await tx.sql`update server_state set expiry_noted_until = ${round.until}::timestamptz`;
    return toNotificationEvents(written);
  });
  for (const event of events) live.publish(event);
}

/**
 * Notifies the maker of a poll that was activated or shown again, if its end passed in the meantime and they have no such
 * notification. If its end is still to come, the round after it notifies them. Returns the events to publish after the commit.
 */
export async function notifyOfMissedExpiry({ sql }: Transaction, pollId: string): Promise<LiveEvent[]> {
  // Compares the end with the clock instead of `expiry_noted_until`: a concurrent round, which does not see the poll as active yet,
  // skips it and then advances `expiry_noted_until`. Not after `NOTIFICATIONS_KEPT_DAYS`: an earlier notification may have been deleted.
  const written = await sql<{ userId: number }[]>`
    insert into notifications (user_id, kind, poll_id)
    select user_id, 'expired', id from polls
    where id = ${pollId} and active and closes_at <= clock_timestamp()
      and closes_at > now() - make_interval(days => ${NOTIFICATIONS_KEPT_DAYS})
      and votes1 + votes2 < responses_wanted and closed_at is null and user_id is not null and not is_sample
    on conflict do nothing returning user_id as "userId"`;
  return toNotificationEvents(written);
}
