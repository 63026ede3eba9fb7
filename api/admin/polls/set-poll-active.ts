import { and, eq, isNull, ne, sql } from 'drizzle-orm';
import { recordAudit } from '#api/admin/audit.ts';
import { polls } from '#api/db/schema/polls.ts';
import { inTransaction } from '#api/db/transaction.ts';
import type { Deps } from '#api/deps.ts';
import type { UserRow } from '#api/http/session/session-user.ts';
import { pollVotes } from '#api/live/live-events.ts';
import { notifyOfMissedExpiry } from '#api/notifications/expiry.ts';
import { addToTotals, findPoll, pollNotFound } from '#api/polls/poll-rows.ts';
import { toPoll } from '#api/polls/poll-view.ts';
import type { PollAction } from '#shared/admin/schema.ts';

/**
 * Deactivates a poll: closes it to votes and takes it out of the feed and other lists; its maker, its voters and administrators
 * still see it. Or activates it: lists it again and, unless it is completed or expired, opens it to votes. A poll that is hidden
 * because of reports remains inactive: the change takes effect once it is shown again. Idempotent. Throws `not_found`, also for
 * a removed poll.
 */
export async function setPollActive(
  { db, listCache, live, shareLinks }: Deps,
  admin: UserRow,
  { pollId, isActive }: { pollId: string; isActive: boolean },
): Promise<PollAction> {
  const { row, isChanged, events } = await inTransaction(db, async (tx) => {
    // Otherwise neither update would match a poll that is hidden or shown again in the meantime.
    await tx.orm.select({ id: polls.id }).from(polls).where(eq(polls.id, pollId)).for('no key update');
    // `activeBefore` is null unless the poll is hidden or removed; then it is the value of `active` once the poll is shown again.
    const changed = await tx.orm
      .update(polls)
      .set({ active: isActive, rev: sql`${polls.rev} + 1` })
      .where(and(eq(polls.id, pollId), ne(polls.active, isActive), isNull(polls.activeBefore)));
    const isChanged = changed.count === 1;
    const changedWhileHidden = await tx.orm
      .update(polls)
      .set({ activeBefore: isActive })
      .where(and(eq(polls.id, pollId), ne(polls.activeBefore, isActive)));
    const row = await findPoll(tx, pollId, admin.id);
    if (row === null) throw pollNotFound();
    if (isChanged || changedWhileHidden.count === 1) {
      const action = isActive ? 'poll.activate' : 'poll.deactivate';
      await recordAudit(tx, { adminId: admin.id, action, target: `poll ${pollId}` });
    }
    if (!isChanged) return { row, isChanged, events: [] };
    const events = isActive ? await notifyOfMissedExpiry(tx, pollId) : [];
    await addToTotals(tx, { active: isActive ? 1 : -1, total: 0 });
    return { row, isChanged, events };
  });
  listCache.drop();
  const poll = toPoll(shareLinks, row, admin, row.vote, Date.now());
  // Tells open screens the new status.
  if (isChanged) live.publish(pollVotes(poll));
  for (const event of events) live.publish(event);
  // To open screens, a poll that is listed again is like a new one.
  if (isChanged && isActive) live.publish({ type: 'poll.created', id: poll.id });
  const state = isActive ? 'active' : 'inactive';
  const message = poll.hidden
    ? `The poll is hidden. It will be ${state} once it is shown again.`
    : `The poll is ${state}.`;
  return { message, poll };
}
