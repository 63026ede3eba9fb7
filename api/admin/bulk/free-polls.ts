import { eq } from 'drizzle-orm';
import type { Handle } from '#api/db/client.ts';
import { polls } from '#api/db/schema/polls.ts';
import { users } from '#api/db/schema/users.ts';
import { inDays } from '#api/db/timestamps.ts';
import { addToTotals } from '#api/polls/poll-rows.ts';
import { imageColumns, type PollImage } from '#api/polls/queries.ts';

/** A poll that an administrator makes: it costs nothing. `duration` in days. */
export type FreePoll = {
  id: string;
  question: string;
  captions: readonly [string | null, string | null];
  images: readonly [PollImage, PollImage];
  responsesWanted: number;
  duration: number;
};

/**
 * Stores polls of `userId` that begin now, the last one as the newest, and counts them. Call it last in the
 * transaction that puts their images in place.
 */
export async function insertFreePolls(
  handle: Handle,
  userId: number,
  made: readonly FreePoll[],
  { isSample }: { isSample: boolean },
): Promise<void> {
  const rows = made.map(({ id, question, captions, images, responsesWanted, duration }) => ({
    id,
    userId,
    question,
    option1Caption: captions[0],
    option2Caption: captions[1],
    ...imageColumns(...images),
    responsesWanted,
    durationDays: duration,
    closesAt: inDays(duration),
    isSample,
    isFree: true,
  }));
  await handle.orm.insert(polls).values(rows);
  await addToTotals(handle, { active: rows.length, total: rows.length });
}

/** The account of this id, kept until the transaction ends; null when it is gone. */
export async function keepMaker({ orm }: Handle, userId: number | null): Promise<number | null> {
  if (userId === null) return null;
  const [maker] = await orm.select({ id: users.id }).from(users).where(eq(users.id, userId)).for('key share');
  return maker?.id ?? null;
}
