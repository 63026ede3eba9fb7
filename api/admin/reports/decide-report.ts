import { and, eq, gt, inArray, isNull, sql } from 'drizzle-orm';
import { recordAudit } from '#api/admin/audit.ts';
import { storeSuspension } from '#api/admin/users/set-user-suspended.ts';
import type { Handle } from '#api/db/client.ts';
import { polls } from '#api/db/schema/polls.ts';
import { pollReports, reportDecisions } from '#api/db/schema/reports.ts';
import { inTransaction, type Transaction } from '#api/db/transaction.ts';
import type { Deps } from '#api/deps.ts';
import { AppError } from '#api/errors.ts';
import type { LiveEvent } from '#api/live/live-events.ts';
import { queueRemoval, unqueueRemoval } from '#api/mail/mail-queue.ts';
import { notifyOfMissedExpiry } from '#api/notifications/expiry.ts';
import { deleteDecisionNotifications, notifyOfRemoval, notifyOfVerdict } from '#api/notifications/notify.ts';
import { addToTotals, pollNotFound } from '#api/polls/poll-rows.ts';
import type { MessageResponse } from '#shared/accounts/schema.ts';
import type { ReportDecision, ReportDecisionInput } from '#shared/admin/schema.ts';
import { UNDO_WITHIN_MS } from '#shared/reports/constants.ts';
import { type ReportReason, reportReasonSchema } from '#shared/reports/schema.ts';

/** How long a tap on Undo may take to reach the server. */
const UNDO_GRACE_MS = 1_000;
/** Longer than Undo is possible, so that an undone decision sends no mail. */
const MAIL_DELAY_S = 15;

type DecisionTarget = { pollId: string; adminId: number };
type LockedPoll = Pick<
  typeof polls.$inferSelect,
  'active' | 'activeBefore' | 'hiddenAt' | 'removedAt' | 'userId'
>;

/** The message of the response to a decision, and the events to publish after its commit. */
type Effect = { message: string; events: readonly LiveEvent[] };

/**
 * Decides about a reported poll: `keep` shows it again and dismisses its reports, `remove` removes it, `suspend` suspends its
 * maker as well, `undo` takes back a `keep` or `remove` of the last seconds. Idempotent. Throws `not_found` (for an unknown
 * poll, and for one without reports), `reports_changed` (since the administrator saw them), `protected_account`, `too_late` or
 * `already_decided`.
 */
export async function decideReport(
  { db, listCache, live }: Deps,
  target: DecisionTarget,
  { action, reports: shownReports }: ReportDecisionInput,
): Promise<MessageResponse> {
  const { message, events } = await inTransaction(db, (tx) =>
    action === 'undo' ? undo(tx, target) : decide(tx, target, action, shownReports),
  );
  listCache.drop();
  for (const event of events) live.publish(event);
  return { message };
}

async function decide(
  tx: Transaction,
  target: DecisionTarget,
  action: ReportDecision,
  shownReports: number | undefined,
): Promise<Effect> {
  const { pollId, adminId } = target;
  const poll = await lockPoll(tx, pollId);
  const reasons = await findOpenReasons(tx, pollId);
  const isOpen = poll.removedAt === null && (reasons.length > 0 || poll.hiddenAt !== null);
  if (!isOpen) return confirmDecision(tx, pollId, action);
  if (shownReports !== undefined && reasons.length !== shownReports) throw new AppError('reports_changed');
  // A hidden poll has no open reports if all of them were taken back.
  const rule = mostFrequent(reasons) ?? 'other';

  const verdict = action === 'keep' ? 'dismissed' : 'upheld';
  const decided = await tx.orm
    .update(pollReports)
    .set({ verdict, decidedAt: sql`now()` })
    .where(and(eq(pollReports.pollId, pollId), isNull(pollReports.verdict)))
    .returning({ userId: pollReports.userId });
  const userIds = decided.map(({ userId }) => userId);
  const verdictEvents = await notifyOfVerdict(tx, { pollId, verdict, userIds });
  const decision = {
    adminId,
    action,
    rule: action === 'keep' ? null : rule,
    hiddenAt: poll.hiddenAt,
    decidedAt: sql`now()`,
  };
  await tx.orm
    .insert(reportDecisions)
    .values({ pollId, ...decision })
    .onConflictDoUpdate({ target: reportDecisions.pollId, set: decision });

  return action === 'keep'
    ? keep(tx, target, poll, verdictEvents)
    : remove(tx, target, poll, { action, rule, verdictEvents });
}

/** Shows the poll again if it was hidden. */
async function keep(
  tx: Transaction,
  { pollId, adminId }: DecisionTarget,
  poll: LockedPoll,
  verdictEvents: readonly LiveEvent[],
): Promise<Effect> {
  await recordAudit(tx, { adminId, action: 'report.keep', target: `poll ${pollId}` });
  if (poll.hiddenAt === null) return { message: 'Poll kept', events: verdictEvents };
  const isListed = await setVisibility(tx, pollId, poll, { hiddenAt: null, removedFor: null });
  const shownAgain: LiveEvent[] = isListed ? [{ type: 'poll.created', id: pollId }] : [];
  const expired = await notifyOfMissedExpiry(tx, pollId);
  return { message: 'Poll kept', events: [...shownAgain, ...verdictEvents, ...expired] };
}

type Removal = {
  action: Exclude<ReportDecision, 'keep'>;
  rule: ReportReason;
  verdictEvents: readonly LiveEvent[];
};

/** Removes the poll and informs its maker, whom `suspend` also suspends. */
async function remove(
  tx: Transaction,
  { pollId, adminId }: DecisionTarget,
  poll: LockedPoll,
  { action, rule, verdictEvents }: Removal,
): Promise<Effect> {
  const { userId: makerId } = poll;
  const suspension = action === 'suspend' ? await suspendMaker(tx, makerId, adminId) : null;
  const events: LiveEvent[] = [{ type: 'poll.removed', id: pollId }, ...verdictEvents];
  events.push(...(suspension?.events ?? []));
  if (makerId !== null) {
    await queueRemoval(tx, { userId: makerId, pollId, rule, delayS: MAIL_DELAY_S });
    events.push(...(await notifyOfRemoval(tx, { userId: makerId, pollId, rule })));
  }
  await recordAudit(tx, { adminId, action: 'report.remove', target: `poll ${pollId}` });
  await setVisibility(tx, pollId, poll, { hiddenAt: poll.hiddenAt, removedFor: rule });
  return { message: suspension?.message ?? 'Poll removed', events };
}

async function suspendMaker(tx: Transaction, makerId: number | null, adminId: number): Promise<Effect> {
  if (makerId === null)
    throw new AppError('not_found', { message: 'The account of the maker has been deleted.' });
  const maker = await storeSuspension(tx, { userId: makerId, adminId, isSuspended: true });
  return { message: `${maker.username} is suspended`, events: [{ type: 'sessions', userId: maker.id }] };
}

/** Handles a repeated decision. Throws `not_found` if there was none, and `already_decided` if it was another one. */
async function confirmDecision({ orm }: Handle, pollId: string, action: ReportDecision): Promise<Effect> {
  const [decision] = await orm
    .select({ action: reportDecisions.action })
    .from(reportDecisions)
    .where(eq(reportDecisions.pollId, pollId));
  if (decision === undefined) throw pollNotFound();
  if (decision.action !== action) throw new AppError('already_decided');
  const messages = { keep: 'Poll kept', remove: 'Poll removed', suspend: 'The maker is suspended' };
  return { message: messages[action], events: [] };
}

async function undo(tx: Transaction, { pollId, adminId }: DecisionTarget): Promise<Effect> {
  const poll = await lockPoll(tx, pollId);
  const [undoneDecision] = await tx.orm
    .delete(reportDecisions)
    .where(
      and(
        eq(reportDecisions.pollId, pollId),
        inArray(reportDecisions.action, ['keep', 'remove']),
        gt(
          reportDecisions.decidedAt,
          sql`now() - make_interval(secs => ${(UNDO_WITHIN_MS + UNDO_GRACE_MS) / 1000})`,
        ),
      ),
    )
    .returning();
  if (undoneDecision === undefined) {
    // A repeated call: the decision has already been undone.
    const isUndecided = poll.hiddenAt !== null || (await findOpenReasons(tx, pollId)).length > 0;
    if (poll.removedAt === null && isUndecided) return { message: 'Undone', events: [] };
    throw new AppError('too_late');
  }
  const isReopened = and(eq(pollReports.pollId, pollId), eq(pollReports.decidedAt, undoneDecision.decidedAt));
  // A report that was taken back was kept only for its verdict.
  await tx.orm.delete(pollReports).where(and(isReopened, pollReports.isTakenBack));
  await tx.orm.update(pollReports).set({ verdict: null, decidedAt: null }).where(isReopened);
  await unqueueRemoval(tx, pollId);
  const events = await deleteDecisionNotifications(tx, pollId, undoneDecision.decidedAt);
  await recordAudit(tx, { adminId, action: 'report.undo', target: `poll ${pollId}` });
  // The poll was hidden before the decision, or has been hidden since.
  const hiddenAt = undoneDecision.hiddenAt ?? poll.hiddenAt;
  const isListed = await setVisibility(tx, pollId, poll, { hiddenAt, removedFor: null });
  if (isListed && !poll.active) {
    events.unshift({ type: 'poll.created', id: pollId });
    events.push(...(await notifyOfMissedExpiry(tx, pollId)));
  }
  // After the undo of a `keep`, the poll may be hidden again.
  if (hiddenAt !== null) events.unshift({ type: 'poll.removed', id: pollId });
  return { message: 'Undone', events };
}

/** Locks a poll with the same lock as reports and votes. Throws `not_found`. */
async function lockPoll({ orm }: Handle, pollId: string): Promise<LockedPoll> {
  const [poll] = await orm
    .select({
      active: polls.active,
      activeBefore: polls.activeBefore,
      hiddenAt: polls.hiddenAt,
      removedAt: polls.removedAt,
      userId: polls.userId,
    })
    .from(polls)
    .where(eq(polls.id, pollId))
    .for('no key update');
  if (poll === undefined) throw pollNotFound();
  return poll;
}

async function findOpenReasons({ orm }: Handle, pollId: string): Promise<ReportReason[]> {
  const open = await orm
    .select({ reason: pollReports.reason })
    .from(pollReports)
    .where(and(eq(pollReports.pollId, pollId), isNull(pollReports.verdict)));
  return open.map(({ reason }) => reason);
}

/** In a tie, the first in the order of the reasons. Null if there are none. */
function mostFrequent(reasons: readonly ReportReason[]): ReportReason | null {
  if (reasons.length === 0) return null;
  const countOf = (reason: ReportReason) => reasons.filter((other) => other === reason).length;
  return reportReasonSchema.options.reduce((best, reason) =>
    countOf(reason) > countOf(best) ? reason : best,
  );
}

type Visibility = { hiddenAt: string | null; removedFor: ReportReason | null };

/**
 * Stores whether a poll is hidden or removed, and updates the counter of active polls. Call it late in the transaction, for the
 * reasons given at `addToTotals`. Returns whether the poll is in the feed afterwards.
 */
async function setVisibility(
  tx: Transaction,
  pollId: string,
  before: LockedPoll,
  { hiddenAt, removedFor }: Visibility,
): Promise<boolean> {
  const isWithheld = hiddenAt !== null || removedFor !== null;
  const isActiveWhenShown = before.activeBefore ?? before.active;
  const active = isActiveWhenShown && !isWithheld;
  await tx.orm
    .update(polls)
    .set({
      hiddenAt,
      removedAt: removedFor === null ? null : sql`now()`,
      removedRule: removedFor,
      active,
      activeBefore: isWithheld ? isActiveWhenShown : null,
      rev: sql`${polls.rev} + 1`,
    })
    .where(eq(polls.id, pollId));
  if (active !== before.active) await addToTotals(tx, { active: active ? 1 : -1, total: 0 });
  return active;
}
