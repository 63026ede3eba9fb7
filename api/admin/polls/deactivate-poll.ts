import { recordAudit } from '#api/admin/audit.ts';
import { requirePoll, setActive } from '#api/admin/queries.ts';
import { inTransaction } from '#api/db/transaction.ts';
import type { Deps } from '#api/deps.ts';
import type { UserRow } from '#api/http/session/session-user.ts';
import { pollVotes } from '#api/live/live-events.ts';
import { addToTotals } from '#api/polls/poll-rows.ts';
import { toPoll } from '#api/polls/poll-view.ts';
import type { PollAction } from '#shared/admin/schema.ts';

/**
 * Closes a poll to votes and takes it out of every feed; owner, voters and administrators still see it. One that is
 * inactive stays so. Throws `not_found`.
 */
export async function deactivatePoll(
  { db, feed, live }: Deps,
  admin: UserRow,
  pollId: string,
): Promise<PollAction> {
  const { row, isChanged } = await inTransaction(db, async (tx) => {
    const isChanged = await setActive(tx, pollId, false);
    const row = await requirePoll(tx, pollId, admin.id);
    if (isChanged) {
      await recordAudit(tx, { adminId: admin.id, action: 'poll.deactivate', target: `poll ${pollId}` });
      await addToTotals(tx, { active: -1, total: 0 });
    }
    return { row, isChanged };
  });
  feed.drop();
  const poll = toPoll(row, admin, row.vote, Date.now());
  if (isChanged) live.publish(pollVotes(poll));
  return { message: 'The poll is inactive.', poll };
}
