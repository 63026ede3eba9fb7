import { and, eq, isNotNull, isNull } from 'drizzle-orm';
import { polls } from '#api/db/schema/polls.ts';
import { pollReports } from '#api/db/schema/reports.ts';
import type { AppDeps } from '#api/deps.ts';
import { AppError } from '#api/errors.ts';
import type { UserRow } from '#api/http/session/session-user.ts';
import type { ReportInput } from '#shared/reports/schema.ts';
import { announceHidden, hideIfReported, lockReportable } from './hide-reported.ts';
import { performOnce } from './perform-once.ts';
import { hasReported, setHidesPolls } from './queries.ts';

type ReportCall = { user: UserRow; key: string | null; pollId: string };
type ReportDeps = Pick<AppDeps, 'db' | 'limits' | 'listCache' | 'live'>;

/**
 * Reports a poll, which hides it from the reporter. Nothing changes if they have reported it already; a report that they took
 * back after its verdict is restored, with that verdict. With enough reports of verified users (see `hideIfReported`), the poll
 * is hidden from everybody except its maker and administrators. Throws `not_found` or `own_poll`, and what `performOnce` throws.
 */
export async function reportPoll(
  deps: ReportDeps,
  { user, key, pollId, reason, text = '' }: ReportCall & ReportInput,
): Promise<void> {
  const freeText = reason === 'other' && text !== '' ? text : null;
  let isHiddenNow = false;
  const { code } = await performOnce(deps, {
    user,
    key,
    route: 'report',
    pollId,
    parts: [pollId, reason, freeText ?? ''],
    isDone: (handle) => hasReported(handle, user.id, pollId),
    async perform(tx) {
      // The lock serialises the reports of a poll, so that exactly one of them hides it.
      const poll = await lockReportable(tx, pollId);
      if (poll === undefined) return 'not_found';
      if (poll.userId === user.id) return 'own_poll';
      await tx.orm
        .insert(pollReports)
        .values({ pollId, userId: user.id, reason, text: freeText })
        .onConflictDoUpdate({
          target: [pollReports.pollId, pollReports.userId],
          set: { isTakenBack: false },
          setWhere: eq(pollReports.isTakenBack, true),
        });
      await setHidesPolls(tx, user.id);
      isHiddenNow = await hideIfReported(tx, poll);
      return null;
    },
  });
  if (code === 'not_found') throw new AppError(code, { message: 'This poll is gone.' });
  if (code === 'own_poll') throw new AppError(code, { message: 'You cannot report your own poll.' });
  if (code !== null) throw new AppError(code);
  if (isHiddenNow) announceHidden(deps, pollId);
}

/** Takes back a report, if there is one. Throws what `performOnce` throws. */
export async function takeBackReport(
  deps: Pick<AppDeps, 'db' | 'limits'>,
  { user, key, pollId }: ReportCall,
): Promise<void> {
  const isOwn = and(eq(pollReports.pollId, pollId), eq(pollReports.userId, user.id));
  await performOnce(deps, {
    user,
    key,
    route: 'take_back_report',
    pollId,
    parts: [pollId],
    isDone: async (handle) => !(await hasReported(handle, user.id, pollId)),
    async perform({ orm }) {
      // Locks the poll, even a removed one, since a decision about its reports may be undone concurrently.
      await orm.select({ id: polls.id }).from(polls).where(eq(polls.id, pollId)).for('no key update');
      await orm.delete(pollReports).where(and(isOwn, isNull(pollReports.verdict)));
      // A report with a verdict is kept, because it determines the weight of its user's other reports.
      await orm
        .update(pollReports)
        .set({ isTakenBack: true })
        .where(and(isOwn, isNotNull(pollReports.verdict)));
      return null;
    },
  });
}
