import { sql } from 'drizzle-orm';
import { users } from '#api/db/schema/users.ts';
import type { JobDeps } from '#api/deps.ts';
import { AppError } from '#api/errors.ts';
import type { StagedImages } from '#api/images/image-store.ts';
import type { JobEnd, JobStep } from '#api/jobs/job-queue.ts';
import type { RunningJob } from '#api/jobs/job-runner.ts';
import { addToTotals } from '#api/polls/poll-rows.ts';
import { insertPolls, type NewPoll } from '#api/polls/queries.ts';
import type { PollsCreated } from '#shared/admin/schema.ts';

type FreePolls = {
  /** The id of the maker; null if their account has been deleted. */
  makerId: number | null;
  polls: readonly Omit<NewPoll, 'userId'>[];
  isSample: boolean;
  /** The error message if the maker's account has been deleted. */
  makerDeletedMessage: string;
};

/**
 * Stores polls, which cost no points, with their staged images, as one part of a job. The last poll becomes the newest. Throws
 * `not_found` if the maker's account has been deleted.
 */
export async function storeFreePolls(
  { listCache, live }: JobDeps,
  job: RunningJob,
  staged: StagedImages,
  { makerId, polls, isSample, makerDeletedMessage }: FreePolls,
  step: JobStep,
): Promise<void> {
  await job.advance(async (tx) => {
    // The lock keeps the account from being deleted until the transaction ends.
    const isMaker = sql`${users.id} = ${makerId}`;
    const [maker] = await tx.orm.select({ id: users.id }).from(users).where(isMaker).for('key share');
    if (maker === undefined) throw new AppError('not_found', { message: makerDeletedMessage });
    const count = await insertPolls(
      tx,
      polls.map((poll) => ({ ...poll, userId: maker.id, isSample, isFree: true })),
    );
    await addToTotals(tx, { active: count, total: count });
    return step;
  }, staged);
  listCache.drop();
  const newest = polls.at(-1);
  if (newest !== undefined) live.publish({ type: 'poll.created', id: newest.id });
}

/** The end of a job that has created `count` polls. */
export function createdPollsEnd(count: number, noun: 'poll' | 'sample poll'): JobEnd {
  const message = `Created ${count} ${noun}${count === 1 ? '' : 's'}.`;
  const result: PollsCreated = { pollsCreated: count, message };
  return { state: 'done', message, result };
}
