import { and, eq, isNotNull, isNull, sql } from 'drizzle-orm';
import type { Handle } from '#api/db/client.ts';
import { polls, pollTotals } from '#api/db/schema/polls.ts';
import { pollReports } from '#api/db/schema/reports.ts';
import type { Transaction } from '#api/db/transaction.ts';
import type { AppDeps } from '#api/deps.ts';
import { AppError } from '#api/errors.ts';
import type { UserRow } from '#api/http/session/session-user.ts';
import {
  DISMISSED_REPORTER_WEIGHT,
  DISMISSED_REPORTS_MAX,
  REPORTS_TO_HIDE,
} from '#shared/reports/constants.ts';
import type { ReportInput } from '#shared/reports/schema.ts';
import { performOnce } from './perform-once.ts';
import { isReported, noteHiding } from './queries.ts';

type PollCall = { user: UserRow; key: string | null; pollId: string };
type ReportDeps = Pick<AppDeps, 'db' | 'limits' | 'feed' | 'live'>;

/**
 * Reports a poll, which its reporter does not see any more; the first report of a user counts. With the fifth of verified
 * users the poll is hidden from everybody. Throws `not_found` or `own_poll`, and what `performOnce` throws.
 */
export async function reportPoll(
  deps: ReportDeps,
  { user, key, pollId, reason, text = '' }: PollCall & ReportInput,
): Promise<void> {
  const words = reason === 'other' && text !== '' ? text : null;
  let isHiddenNow = false;
  const { code } = await performOnce(deps, {
    user,
    key,
    route: 'report',
    pollId,
    parts: [pollId, reason, words ?? ''],
    successStatus: 200,
    isDone: (handle) => isReported(handle, user.id, pollId),
    async perform(tx) {
      // Reports of a poll queue up here, so that exactly one of them is the fifth.
      const [poll] = await tx.orm
        .select({ userId: polls.userId, hiddenAt: polls.hiddenAt, active: polls.active })
        .from(polls)
        .where(and(eq(polls.id, pollId), isNull(polls.removedAt)))
        .for('no key update');
      if (poll === undefined) return 'not_found';
      if (poll.userId === user.id) return 'own_poll';
      await tx.orm
        .insert(pollReports)
        .values({ pollId, userId: user.id, reason, text: words })
        .onConflictDoUpdate({
          target: [pollReports.pollId, pollReports.userId],
          set: { isTakenBack: false },
          setWhere: eq(pollReports.isTakenBack, true),
        });
      await noteHiding(tx, user.id);
      isHiddenNow = poll.hiddenAt === null && (await weighReports(tx, pollId)) >= REPORTS_TO_HIDE;
      if (isHiddenNow) await hide(tx, pollId, poll.active);
      return null;
    },
  });
  if (code === 'not_found') throw new AppError(code, { message: 'This poll is gone.' });
  if (code === 'own_poll') throw new AppError(code, { message: 'You cannot report your own poll.' });
  if (code !== null) throw new AppError(code);
  if (!isHiddenNow) return;
  deps.feed.drop();
  deps.live.publish({ type: 'poll.removed', id: pollId });
}

/** Takes back a report, if there is one. Throws what `performOnce` throws. */
export async function takeBackReport(
  deps: Pick<AppDeps, 'db' | 'limits'>,
  { user, key, pollId }: PollCall,
): Promise<void> {
  const isOwn = and(eq(pollReports.pollId, pollId), eq(pollReports.userId, user.id));
  const { code } = await performOnce(deps, {
    user,
    key,
    route: 'take_back_report',
    pollId,
    parts: [pollId],
    successStatus: 200,
    isDone: async (handle) => !(await isReported(handle, user.id, pollId)),
    async perform({ orm }) {
      await orm.delete(pollReports).where(and(isOwn, isNull(pollReports.verdict)));
      // Its verdict still counts for this reporter.
      await orm
        .update(pollReports)
        .set({ isTakenBack: true })
        .where(and(isOwn, isNotNull(pollReports.verdict)));
      return null;
    },
  });
  if (code !== null) throw new AppError(code);
}

/**
 * The weight of the open reports of a poll: one for each verified user, half of it for users whose reports were dismissed
 * again and again and never right.
 */
async function weighReports({ sql }: Handle, pollId: string): Promise<number> {
  // Tagged SQL: the builder has no lateral joins with aggregates.
  const [{ weight }] = await sql<[{ weight: number }]>`
    select coalesce(sum(
      case when record.dismissed >= ${DISMISSED_REPORTS_MAX}::int and record.upheld = 0
        then ${DISMISSED_REPORTER_WEIGHT}::float8 else 1 end
    ), 0)::float8 as weight
    from poll_reports reports
    join users on users.id = reports.user_id and users.is_verified and not users.is_suspended
    cross join lateral (
      select count(*) filter (where verdict = 'dismissed') as dismissed,
        count(*) filter (where verdict = 'upheld') as upheld
      from poll_reports earlier where earlier.user_id = reports.user_id
    ) record
    where reports.poll_id = ${pollId} and reports.verdict is null`;
  return weight;
}

async function hide(tx: Transaction, pollId: string, isActive: boolean): Promise<void> {
  await tx.orm
    .update(polls)
    .set({ hiddenAt: sql`now()`, activeBefore: isActive, active: false, rev: sql`${polls.rev} + 1` })
    .where(eq(polls.id, pollId));
  if (isActive) await tx.orm.update(pollTotals).set({ active: sql`${pollTotals.active} - 1` });
}
