import { eq, sql } from 'drizzle-orm';
import type { Handle } from '#api/db/client.ts';
import { votes } from '#api/db/schema/votes.ts';
import type { AppDeps } from '#api/deps.ts';
import { AppError } from '#api/errors.ts';
import { findPollFor, pollNotFound } from '#api/polls/poll-rows.ts';
import type { PollRow, PollViewer } from '#api/polls/poll-view.ts';
import type { VotesByHour } from '#shared/polls/schema.ts';

/** A poll and its votes by hour, only for its maker. Throws `not_found`, `not_yours` or `rate_limited`. */
export async function readResults(
  { db, limits }: Pick<AppDeps, 'db' | 'limits'>,
  user: PollViewer,
  pollId: string,
): Promise<VotesByHour & { poll: PollRow }> {
  const poll = await findPollFor(db, pollId, user);
  if (poll === null) throw pollNotFound();
  if (poll.userId !== user.id) throw new AppError('not_yours');
  await limits.resultsOfUser.take(user.id);
  return { poll, hours: await countByHour(db, pollId) };
}

function countByHour({ orm }: Handle, pollId: string): Promise<VotesByHour['hours']> {
  const hour = sql<string>`to_char(${votes.createdAt} at time zone 'utc', 'YYYY-MM-DD"T"HH24":00:00.000Z"')`;
  return orm
    .select({
      hour,
      option1: sql<number>`(count(*) filter (where ${votes.option} = 1))::int`,
      option2: sql<number>`(count(*) filter (where ${votes.option} = 2))::int`,
    })
    .from(votes)
    .where(eq(votes.pollId, pollId))
    .groupBy(hour)
    .orderBy(hour);
}
