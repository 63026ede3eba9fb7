import { and, eq, isNull, ne, sql } from 'drizzle-orm';
import { recordAudit } from '#api/admin/audit.ts';
import { pollNotFound } from '#api/admin/queries.ts';
import { polls } from '#api/db/schema/polls.ts';
import { inTransaction } from '#api/db/transaction.ts';
import type { Deps } from '#api/deps.ts';
import type { UserRow } from '#api/http/session/session-user.ts';
import { pollVotes } from '#api/live/live-events.ts';
import { notifyOfMissedExpiry } from '#api/notifications/expiry.ts';
import { addToTotals, findPoll } from '#api/polls/poll-rows.ts';
import { toPoll } from '#api/polls/poll-view.ts';
import type { PollAction } from '#shared/admin/schema.ts';

/**
 * Deactivates a poll: closes it to votes and removes it from the feed and other lists; its maker, its voters and administrators
 * still see it. Or activates it: lists it again and, unless it is completed or expired, opens it to votes. Idempotent. Throws
 * `not_found`.
 */
export async function setPollActive(
  { db, listCache, live, shareLinks }: Deps,
  admin: UserRow,
  { pollId, isActive }: { pollId: string; isActive: boolean },
): Promise<PollAction> {
  const { row, isChanged, events } = await inTransaction(db, async (tx) => {
    const changed = await tx.orm
      .update(polls)
      .set({ active: isActive, rev: sql`${polls.rev} + 1` })
      .where(and(eq(polls.id, pollId), ne(polls.active, isActive), isNull(polls.activeBefore)));
    const isChanged = changed.count === 1;
    // A poll that is hidden or removed because of reports remains inactive; `activeBefore` is the state once it is shown again.
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
    if (isChanged) await addToTotals(tx, { active: isActive ? 1 : -1, total: 0 });
    return { row, isChanged, events: isChanged ? await notifyOfMissedExpiry(tx, pollId) : [] };
  });
  listCache.drop();
  const poll = toPoll(shareLinks, row, admin, row.vote, Date.now());
  if (isChanged) live.publish(pollVotes(poll));
  for (const event of events) live.publish(event);
  if (isChanged && isActive) live.publish({ type: 'poll.created', id: poll.id });
  return { message: `The poll is ${isActive ? 'active' : 'inactive'}.`, poll };
}
