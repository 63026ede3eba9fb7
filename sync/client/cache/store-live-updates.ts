import type { User } from '#shared/accounts/schema.ts';
import type { PollVotes, UserPoints } from '#shared/live/schema.ts';
import type { CachedPoll, UserDb } from '#sync/client/db.ts';
import { dropPolls, responseValidity } from './cache.ts';

/** Live updates that are not stored yet: for each poll and for the user's points only the newest one. */
export type LiveUpdateBatch = {
  votes: Map<string, PollVotes>;
  created: Set<string>;
  removed: Set<string>;
  points: UserPoints | null;
};

/**
 * Whether the results of a poll have to be fetched: live updates contain only the total, and everyone may see the results of a
 * closed poll.
 */
export function needsResults({ results, status, votesCount, areResultsOld }: CachedPoll): boolean {
  if (areResultsOld === true) return true;
  return results === null ? status !== 'active' : results.option1 + results.option2 !== votesCount;
}

/**
 * Stores the live updates, received from the server with the user's epoch, that are newer than the cache. Writes nothing if there
 * are none, since each write makes every tab read its lists again, nor if another tab has found that the server was replaced.
 * - `hasNewPoints`: newer points were stored. No response has contained them yet, so the rest of the cached user may be outdated.
 * - `hasLostOwnPoll`: a poll of the user was removed from the cache. It may remain in their list, with the reason.
 */
export async function storeLiveUpdates(
  db: UserDb,
  { id: userId, epoch }: User,
  batch: LiveUpdateBatch,
): Promise<{ hasNewPoints: boolean; hasLostOwnPoll: boolean }> {
  const { points, removed } = batch;
  const nothing = { hasNewPoints: false, hasLostOwnPoll: false };
  // Most updates are about polls that are not cached. They should not make other reads wait for a transaction that writes.
  if (points === null && removed.size === 0 && (await newerPolls(db, batch)).length === 0) return nothing;
  const tables = [db.polls, db.feed, db.mine, db.trending, db.deck, db.user, db.account];
  return db.transaction('rw', tables, async () => {
    if ((await responseValidity(db, userId, epoch)) === 'former_server') return nothing;
    const polls = await newerPolls(db, batch);
    if (polls.length > 0) await db.polls.bulkPut(polls);
    const lost = (await db.polls.bulkGet([...removed])).flatMap((poll) => poll ?? []);
    if (lost.length > 0)
      await dropPolls(
        db,
        lost.map(({ id }) => id),
      );
    const user = await db.user.get(userId);
    const knownRev = Math.max(user?.rev ?? 0, user?.pointsRev ?? 0);
    const hasNewPoints = points !== null && user !== undefined && points.rev > knownRev;
    // `rev` is not raised, because the rest of the user may have changed, too.
    if (hasNewPoints) await db.user.update(userId, { points: points.points, pointsRev: points.rev });
    return { hasNewPoints, hasLostOwnPoll: lost.some(({ isMine }) => isMine) };
  });
}

/** Whether any tab is sending an op of this user. */
export async function isSending(db: UserDb): Promise<boolean> {
  return (await db.ops.where('state').equals('sending').count()) > 0;
}

async function newerPolls(db: UserDb, { votes }: LiveUpdateBatch): Promise<CachedPoll[]> {
  const cached = await db.polls.bulkGet([...votes.keys()]);
  return cached.flatMap((poll) => {
    const update = poll === undefined ? undefined : votes.get(poll.id);
    if (poll === undefined || update === undefined || update.rev <= poll.rev) return [];
    const { votesCount, status, rev, closedEarly } = update;
    // If a newer revision has the same number of votes, a vote may have been changed.
    const isChanged = poll.results !== null && votesCount === poll.votesCount;
    return {
      ...poll,
      votesCount,
      status,
      rev,
      active: status !== 'inactive',
      ...(closedEarly && { closedEarly }),
      ...(isChanged && { areResultsOld: true }),
    };
  });
}

/** Returns those of `ids` whose polls are cached or have an op in the outbox. */
export async function findKnownPolls(db: UserDb, ids: readonly string[]): Promise<Set<string>> {
  return db.transaction('r', db.polls, db.ops, async () => {
    const polls = await db.polls.bulkGet([...ids]);
    const ops = await db.ops.where('entityId').anyOf(ids).toArray();
    return new Set([...polls.flatMap((poll) => poll?.id ?? []), ...ops.map(({ entityId }) => entityId)]);
  });
}
