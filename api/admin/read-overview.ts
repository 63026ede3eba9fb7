import type { Database } from '#api/db/client.ts';
import { retryLost } from '#api/db/retry-lost.ts';
import { OVERVIEW_DAYS } from '#shared/admin/constants.ts';
import type { Overview } from '#shared/admin/schema.ts';
import type { StorageMeter } from './storage-meter.ts';

type Counts = Omit<Overview, 'days' | 'storageBytes' | 'polls'> &
  Overview['polls'] & { databaseBytes: string };

/** Totals, and the votes and sign-ups of each of the last `OVERVIEW_DAYS` days. */
export async function readOverview(db: Database, storageMeter: StorageMeter): Promise<Overview> {
  const [counts, days, imageBytes] = await Promise.all([
    retryLost(() => countAll(db)),
    retryLost(() => countDays(db)),
    storageMeter.read(),
  ]);
  const { users, votes, mailsWaiting, databaseBytes, ...polls } = counts;
  const storageBytes = Number(databaseBytes) + imageBytes;
  return { users, polls, votes, days, mailsWaiting, storageBytes };
}

/**
 * Counts each poll once, by the first of the statuses inactive, expired, completed, active that applies (as `pollStatus` does).
 * Reads only the polls that have not ended, which are few: `totals.active` counts the polls with `active` set, which are these
 * and the expired ones, and all other polls are inactive. Tagged SQL, so that all counts come from one snapshot of the database.
 */
async function countAll({ sql }: Database): Promise<Counts> {
  const [row] = await sql<[Counts]>`
    select
      (select count(*)::int from users) as users,
      (select count(*)::int from votes) as votes,
      (select count(*)::int from mail_queue where failed_at is null) as "mailsWaiting",
      pg_database_size(current_database())::text as "databaseBytes",
      open.count - open.completed as active,
      totals.total - totals.active as inactive,
      totals.active - open.count as expired,
      open.completed
    from poll_totals totals, (
      select count(*)::int as count, count(*) filter (where votes1 + votes2 >= responses_wanted)::int as completed
      from polls where active and closes_at > now()
    ) open
    where totals.id = 1`;
  return row;
}

/**
 * The last days in UTC, oldest first, including days without votes and sign-ups. Tagged SQL: the builder cannot join with
 * `generate_series`.
 */
function countDays({ sql }: Database): Promise<Overview['days']> {
  return sql<Overview['days']>`
    with bounds as (
      select date_trunc('day', now() at time zone 'utc') as today,
        date_trunc('day', now() at time zone 'utc') - make_interval(days => ${OVERVIEW_DAYS - 1}::int) as first
    ), cast_votes as (
      select date_trunc('day', created_at at time zone 'utc') as day, count(*)::int as count from votes
      where created_at >= (select first at time zone 'utc' from bounds) group by 1
    ), sign_ups as (
      select date_trunc('day', created_at at time zone 'utc') as day, count(*)::int as count from users
      where created_at >= (select first at time zone 'utc' from bounds) group by 1
    )
    select to_char(days.day, 'YYYY-MM-DD') as day, coalesce(cast_votes.count, 0) as votes,
      coalesce(sign_ups.count, 0) as "signUps"
    from bounds cross join generate_series(bounds.first, bounds.today, interval '1 day') days (day)
    left join cast_votes on cast_votes.day = days.day left join sign_ups on sign_ups.day = days.day
    order by days.day`;
}
