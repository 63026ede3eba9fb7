import { eq } from 'drizzle-orm';
import { polls } from '#api/db/schema/polls.ts';
import { inTransaction, type Transaction } from '#api/db/transaction.ts';
import type { Deps } from '#api/deps.ts';
import type { LiveEvent } from '#api/live/live-events.ts';
import { addToTotals, pollNotFound } from './poll-rows.ts';

const deletedColumns = {
  active: polls.active,
  image1: polls.option1Image,
  image2: polls.option2Image,
  makerId: polls.userId,
  isSample: polls.isSample,
  removedAt: polls.removedAt,
};

type DeletedPoll = Pick<typeof polls.$inferSelect, 'active' | 'isSample' | 'removedAt'> & {
  image1: string;
  image2: string;
  makerId: number | null;
};

/**
 * Deletes a poll with its votes and its images; its voters keep their points. `record`, called in the transaction with what was
 * deleted, writes what else belongs to the deletion and returns its live events. If it throws, nothing is deleted. Throws
 * `not_found`. The images of a removed poll must be deleted before (see `deleteImagesOfRemovedPolls`).
 */
export async function deletePollAndImages(
  { db, listCache, images, live, log }: Pick<Deps, 'db' | 'listCache' | 'images' | 'live' | 'log'>,
  pollId: string,
  record: (tx: Transaction, poll: DeletedPoll) => Promise<LiveEvent[]>,
): Promise<void> {
  const { image1, image2, events } = await inTransaction(db, async (tx) => {
    // No timeout: a poll can have a million votes. Tagged SQL: the builder cannot change settings.
    await tx.sql`set local statement_timeout = 0`;
    const [poll] = await tx.orm.delete(polls).where(eq(polls.id, pollId)).returning(deletedColumns);
    if (poll === undefined) throw pollNotFound();
    const events = await record(tx, poll);
    await addToTotals(tx, { active: poll.active ? -1 : 0, total: -1 });
    return { ...poll, events };
  });
  listCache.drop();
  live.publish({ type: 'poll.removed', id: pollId });
  for (const event of events) live.publish(event);
  await images.remove([image1, image2]).catch((err: unknown) => {
    log.warn({ err, pollId }, 'The images of a deleted poll could not be removed');
  });
}
