import { eq } from 'drizzle-orm';
import { recordAudit } from '#api/admin/audit.ts';
import { polls } from '#api/db/schema/polls.ts';
import { inTransaction } from '#api/db/transaction.ts';
import type { Deps } from '#api/deps.ts';
import { deleteImagesOfRemovedPolls } from '#api/images/withheld-images.ts';
import { notifyOfRemoval } from '#api/notifications/notify.ts';
import { addToTotals, pollNotFound } from '#api/polls/poll-rows.ts';
import type { MessageResponse } from '#shared/accounts/schema.ts';

/** Deletes a poll with its votes and its images; its voters keep their points. Throws `not_found`. */
export async function deletePoll(
  { db, listCache, images, live, log }: Deps,
  { pollId, adminId }: { pollId: string; adminId: number },
): Promise<MessageResponse> {
  await deleteImagesOfRemovedPolls({ db, images }, eq(polls.id, pollId));
  const { image1, image2, events } = await inTransaction(db, async (tx) => {
    // No timeout: a poll can have a million votes. Tagged SQL: the builder cannot change settings.
    await tx.sql`set local statement_timeout = 0`;
    const [poll] = await tx.orm.delete(polls).where(eq(polls.id, pollId)).returning({
      active: polls.active,
      image1: polls.option1Image,
      image2: polls.option2Image,
      makerId: polls.userId,
      isSample: polls.isSample,
      removedAt: polls.removedAt,
    });
    if (poll === undefined) throw pollNotFound();
    await recordAudit(tx, { adminId, action: 'poll.delete', target: `poll ${pollId}` });
    const { makerId, isSample, removedAt } = poll;
    // The maker of a removed poll was notified of the removal.
    const isMakerNotified = makerId !== null && makerId !== adminId && !isSample && removedAt === null;
    const events = isMakerNotified
      ? await notifyOfRemoval(tx, { userId: makerId, pollId: null, rule: null })
      : [];
    await addToTotals(tx, { active: poll.active ? -1 : 0, total: -1 });
    return { ...poll, events };
  });
  listCache.drop();
  live.publish({ type: 'poll.removed', id: pollId });
  for (const event of events) live.publish(event);
  await images.remove([image1, image2]).catch((err: unknown) => {
    log.warn({ err, pollId }, 'The images of a deleted poll could not be removed');
  });
  return { message: 'The poll was deleted.' };
}
