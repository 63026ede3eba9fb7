import { sql } from 'drizzle-orm';
import { users } from '#api/db/schema/users.ts';
import type { JobDeps } from '#api/deps.ts';
import { AppError } from '#api/errors.ts';
import type { StagedImages } from '#api/images/image-store.ts';
import type { JobEnd, JobStep } from '#api/jobs/job-queue.ts';
import type { JobTask } from '#api/jobs/job-runner.ts';
import { addToTotals } from '#api/polls/poll-rows.ts';
import { insertPolls, type NewPoll } from '#api/polls/queries.ts';
import type { PollsCreated } from '#shared/admin/schema.ts';

type FreePolls = {
  /** The maker. */
  userId: number | null;
  polls: readonly Omit<NewPoll, 'userId'>[];
  isSample: boolean;
  /** What to tell when the maker's account is gone. */
  goneMessage: string;
};

/**
 * Does a part of a job: stores polls, which cost nothing, with their staged images, the last one as the newest. Throws
 * `not_found` when their maker's account is gone.
 */
export async function storeFreePolls(
  { feed, live }: JobDeps,
  task: JobTask,
  staged: StagedImages,
  { userId: makerId, polls, isSample, goneMessage }: FreePolls,
  step: JobStep,
): Promise<void> {
  await task.advance(async (tx) => {
    // Kept until the transaction ends.
    const isMaker = sql`${users.id} = ${makerId}`;
    const [maker] = await tx.orm.select({ userId: users.id }).from(users).where(isMaker).for('key share');
    if (maker === undefined) throw new AppError('not_found', { message: goneMessage });
    const count = await insertPolls(
      tx,
      polls.map((poll) => ({ ...poll, ...maker, isSample, isFree: true })),
    );
    await addToTotals(tx, { active: count, total: count });
    return step;
  }, staged);
  feed.drop();
  const newest = polls.at(-1);
  if (newest !== undefined) live.publish({ type: 'poll.created', id: newest.id });
}

/** The end of a job that has created `count` polls. */
export function pollsCreated(count: number, noun: 'poll' | 'sample poll'): JobEnd {
  const message = `Created ${count} ${noun}${count === 1 ? '' : 's'}.`;
  const result: PollsCreated = { pollsCreated: count, message };
  return { state: 'done', message, result };
}
