import type { OwnPoints, PollVotes } from '#shared/live/schema.ts';
import type { CachedPoll, CachedUser, UserDb } from '#sync/client/db.ts';
import { dropPolls } from './cache.ts';

/** What the socket has told since the last time that it was stored; of each poll and of the user the newest. */
export type NewsBatch = {
  votes: Map<string, PollVotes>;
  created: Set<string>;
  removed: Set<string>;
  points: OwnPoints | null;
};

/**
 * Whether a poll is shown with results that it has not: news bring the total alone, and what a closed poll shows
 * to everyone has to be fetched.
 */
export function lacksResults({ results, status, votesCount, areResultsOld }: CachedPoll): boolean {
  if (areResultsOld === true) return true;
  return results === null ? status !== 'active' : results.option1 + results.option2 !== votesCount;
}

/**
 * Brings what this device knows up to date, where the news are newer. Most are about polls that it does not have,
 * or are known already: then nothing is written, since every write makes each tab read its lists again.
 * True when points came that no answer to this device has told: what else is known of the user is old then.
 */
export async function storeNews(db: UserDb, userId: number, news: NewsBatch): Promise<boolean> {
  if ((await newerPolls(db, news)).length > 0) {
    await db.transaction('rw', db.polls, async () => {
      await db.polls.bulkPut(await newerPolls(db, news));
    });
  }
  const { points, removed } = news;
  const user = points === null ? undefined : await db.user.get(userId);
  const isNewer = ({ rev, pointsRev = 0 }: CachedUser) => (points?.rev ?? 0) > Math.max(rev, pointsRev);
  const hasNewPoints = points !== null && user !== undefined && isNewer(user);
  if (hasNewPoints) {
    // The rest of the user may have changed too: their own revision stays what it was.
    const changes = { points: points.points, pointsRev: points.rev };
    await db.user.where('id').equals(userId).and(isNewer).modify(changes);
  }
  const gone = (await db.polls.bulkGet([...removed])).flatMap((poll) => poll?.id ?? []);
  if (gone.length > 0) await dropPolls(db, gone);
  return hasNewPoints;
}

/** Whether a change of this user's is on its way, from whichever tab. */
export async function isSending(db: UserDb): Promise<boolean> {
  return (await db.ops.where('state').equals('sending').count()) > 0;
}

async function newerPolls(db: UserDb, { votes }: NewsBatch): Promise<CachedPoll[]> {
  const cached = await db.polls.bulkGet([...votes.keys()]);
  return cached.flatMap((poll) => {
    const told = poll === undefined ? undefined : votes.get(poll.id);
    if (poll === undefined || told === undefined || told.rev <= poll.rev) return [];
    const { votesCount, status, rev } = told;
    // As many votes in another revision: one of them may have been changed.
    const isChanged = poll.results !== null && votesCount === poll.votesCount;
    return {
      ...poll,
      votesCount,
      status,
      rev,
      active: status !== 'inactive',
      ...(isChanged && { areResultsOld: true }),
    };
  });
}

/** Which of these polls this device knows, or is about to make. */
export async function knownPolls(db: UserDb, ids: readonly string[]): Promise<Set<string>> {
  return db.transaction('r', db.polls, db.ops, async () => {
    const polls = await db.polls.bulkGet([...ids]);
    const ops = await db.ops.where('entityId').anyOf(ids).toArray();
    return new Set([...polls.flatMap((poll) => poll?.id ?? []), ...ops.map(({ entityId }) => entityId)]);
  });
}
