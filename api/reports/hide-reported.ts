import { and, eq, isNull, not, sql } from 'drizzle-orm';
import type { Handle } from '#api/db/client.ts';
import { polls, pollTotals } from '#api/db/schema/polls.ts';
import { pollReports } from '#api/db/schema/reports.ts';
import { users } from '#api/db/schema/users.ts';
import { inTransaction, type Transaction } from '#api/db/transaction.ts';
import type { Deps } from '#api/deps.ts';
import {
  DISMISSED_REPORTER_WEIGHT,
  DISMISSED_REPORTS_TO_DISCOUNT,
  REPORTS_TO_HIDE,
} from '#shared/reports/constants.ts';

type HidingDeps = Pick<Deps, 'listCache' | 'live'>;

/** Locks a poll, so that its reports take effect one after the other. Undefined if it does not exist or was removed. */
export async function lockReportable({ orm }: Transaction, pollId: string) {
  const [poll] = await orm
    .select({ id: polls.id, userId: polls.userId, hiddenAt: polls.hiddenAt, active: polls.active })
    .from(polls)
    .where(and(eq(polls.id, pollId), isNull(polls.removedAt)))
    .for('no key update');
  return poll;
}

type Reportable = NonNullable<Awaited<ReturnType<typeof lockReportable>>>;

/** Hides a locked poll if its reports suffice. If this returns true, call `announceHidden` after the commit. */
export async function hideIfReported(
  tx: Transaction,
  { id, hiddenAt, active }: Reportable,
): Promise<boolean> {
  if (hiddenAt !== null || (await weighReports(tx, id)) < REPORTS_TO_HIDE) return false;
  await tx.orm
    .update(polls)
    .set({ hiddenAt: sql`now()`, activeBefore: active, active: false, rev: sql`${polls.rev} + 1` })
    .where(eq(polls.id, id));
  if (active) await tx.orm.update(pollTotals).set({ active: sql`${pollTotals.active} - 1` });
  return true;
}

/** Drops the cached lists, and publishes to all devices that a poll is hidden. */
export function announceHidden({ listCache, live }: HidingDeps, pollId: string): void {
  listCache.drop();
  live.publish({ type: 'poll.removed', id: pollId });
}

/** Hides the polls whose reports suffice only now, because reporters have verified their email or are no longer suspended. */
export async function hideReported({ db, ...deps }: HidingDeps & Pick<Deps, 'db'>): Promise<void> {
  const rows = await db.orm
    .select({ id: polls.id })
    .from(pollReports)
    .innerJoin(polls, and(eq(polls.id, pollReports.pollId), isNull(polls.hiddenAt), isNull(polls.removedAt)))
    .innerJoin(users, and(eq(users.id, pollReports.userId), users.isVerified, not(users.isSuspended)))
    .where(isNull(pollReports.verdict))
    .groupBy(polls.id)
    .having(sql`count(*) >= ${REPORTS_TO_HIDE}`);
  for (const { id } of rows) {
    const isHiddenNow = await inTransaction(db, async (tx) => {
      const poll = await lockReportable(tx, id);
      return poll !== undefined && hideIfReported(tx, poll);
    });
    if (isHiddenNow) announceHidden(deps, id);
  }
}

/**
 * The weight of the open reports of a poll: 1 for each verified user who is not suspended, but `DISMISSED_REPORTER_WEIGHT` for
 * those whose reports were never upheld and at least `DISMISSED_REPORTS_TO_DISCOUNT` times dismissed.
 */
async function weighReports({ sql }: Handle, pollId: string): Promise<number> {
  // Tagged SQL: the builder has no lateral joins with aggregates.
  const [{ weight }] = await sql<[{ weight: number }]>`
    select coalesce(sum(
      case when record.dismissed >= ${DISMISSED_REPORTS_TO_DISCOUNT}::int and record.upheld = 0
        then ${DISMISSED_REPORTER_WEIGHT}::float8 else 1 end
    ), 0)::float8 as weight
    from poll_reports reports
    join users on users.id = reports.user_id and users.is_verified and not users.is_suspended
    cross join lateral (
      select count(*) filter (where verdict = 'dismissed') as dismissed,
        count(*) filter (where verdict = 'upheld') as upheld
      from poll_reports where poll_reports.user_id = reports.user_id
    ) record
    where reports.poll_id = ${pollId} and reports.verdict is null`;
  return weight;
}
