import { eq } from 'drizzle-orm';
import { recordAudit } from '#api/admin/audit.ts';
import { polls } from '#api/db/schema/polls.ts';
import type { Deps } from '#api/deps.ts';
import { deleteImagesOfRemovedPolls } from '#api/images/withheld-images.ts';
import { notifyOfRemoval } from '#api/notifications/notify.ts';
import { deletePollAndImages } from '#api/polls/delete-poll.ts';
import type { MessageResponse } from '#shared/accounts/schema.ts';

/** Deletes any poll, and notifies its maker. Throws `not_found`. */
export async function deletePoll(
  deps: Deps,
  { pollId, adminId }: { pollId: string; adminId: number },
): Promise<MessageResponse> {
  await deleteImagesOfRemovedPolls(deps, eq(polls.id, pollId));
  await deletePollAndImages(deps, pollId, async (tx, { makerId, isSample, removedAt }) => {
    await recordAudit(tx, { adminId, action: 'poll.delete', target: `poll ${pollId}` });
    // When an administrator removed the poll, its maker was already notified; the deletion is no second notice.
    const mustNotifyMaker = makerId !== null && makerId !== adminId && !isSample && removedAt === null;
    return mustNotifyMaker ? await notifyOfRemoval(tx, { userId: makerId, pollId: null, rule: null }) : [];
  });
  return { message: 'The poll was deleted.' };
}
