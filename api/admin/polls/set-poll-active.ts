import { and, eq, ne, sql } from 'drizzle-orm';
import { recordAudit } from '#api/admin/audit.ts';
import { pollNotFound } from '#api/admin/queries.ts';
import { polls } from '#api/db/schema/polls.ts';
import { inTransaction } from '#api/db/transaction.ts';
import type { Deps } from '#api/deps.ts';
import type { UserRow } from '#api/http/session/session-user.ts';
import { pollVotes } from '#api/live/live-events.ts';
import { addToTotals, findPoll } from '#api/polls/poll-rows.ts';
import { toPoll } from '#api/polls/poll-view.ts';
import type { PollAction } from '#shared/admin/schema.ts';

/**
 * Closes a poll to votes and takes it out of every feed; owner, voters and administrators still see it. Or puts it back
 * into the feeds and, unless it has ended otherwise, opens it to votes. One that is so already stays so. Throws
 * `not_found`.
 */
export async function setPollActive(
  { db, feed, live }: Deps,
  admin: UserRow,
  pollId: string,
  active: boolean,
): Promise<PollAction> {
  const { row, isChanged } = await inTransaction(db, async (tx) => {
    const changed = await tx.orm
      .update(polls)
      .set({ active, rev: sql`${polls.rev} + 1` })
      .where(and(eq(polls.id, pollId), ne(polls.active, active)));
    const isChanged = changed.count === 1;
    const row = await findPoll(tx, pollId, admin.id);
    if (row === null) throw pollNotFound();
    if (isChanged) {
      const action = active ? 'poll.activate' : 'poll.deactivate';
      await recordAudit(tx, { adminId: admin.id, action, target: `poll ${pollId}` });
      await addToTotals(tx, { active: active ? 1 : -1, total: 0 });
    }
    return { row, isChanged };
  });
  feed.drop();
  const poll = toPoll(row, admin, row.vote, Date.now());
  if (isChanged) live.publish(pollVotes(poll));
  if (isChanged && active) live.publish({ type: 'poll.created', id: poll.id });
  return { message: `The poll is ${active ? 'active' : 'inactive'}.`, poll };
}
