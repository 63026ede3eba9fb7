import type { User } from '#shared/accounts/schema.ts';
import type { Poll } from '#shared/polls/schema.ts';
import type { CachedPoll, UserDb } from '#sync/client/db.ts';

/**
 * `incoming` as it may be stored over `cached`: never an older revision, and never without a vote of one's own
 * that the server has confirmed before.
 */
export function mergePoll(cached: CachedPoll | undefined, incoming: Poll): CachedPoll {
  if (cached === undefined) return incoming;
  if (incoming.rev < cached.rev) {
    // News of later votes may overtake the answer to one's own.
    const [told] = incoming.votes;
    const [known] = cached.votes;
    if (told === undefined) return cached;
    // Of two own votes the one that was changed more often is the later one; the results are those of the former.
    const isLater = (told.changesLeft ?? Number.POSITIVE_INFINITY) < (known?.changesLeft ?? 0);
    if (known !== undefined) return isLater ? { ...cached, votes: [told], areResultsOld: true } : cached;
    return { ...cached, votes: incoming.votes, results: cached.results ?? incoming.results };
  }
  if (incoming.votes.length > 0 || cached.votes.length === 0) return incoming;
  return { ...incoming, votes: cached.votes, results: incoming.results ?? cached.results };
}

/**
 * Where an answer belongs that was asked for some time ago. `epoch` is that of the server which gave it.
 * - `current`: into the cache
 * - `logged_out`: nowhere, the user has logged out since
 * - `former_server`: nowhere, another server (or an older state of it) answers by now
 */
export type AnswerPlace = 'current' | 'logged_out' | 'former_server';

/** Runs in the caller's transaction, so that nobody logs out between the look and what is stored after it. */
export async function placeOfAnswer(
  db: UserDb,
  userId: number,
  epoch: string | undefined,
): Promise<AnswerPlace> {
  const user = await db.user.get(userId);
  if (user === undefined) return 'logged_out';
  const isFormer = epoch !== undefined && user.epoch !== undefined && user.epoch !== epoch;
  return isFormer ? 'former_server' : 'current';
}

/** Stores polls, each unless the cache holds a newer revision. Runs in the caller's transaction. */
export async function putPolls(db: UserDb, polls: readonly Poll[]): Promise<void> {
  const ids = [...new Set(polls.map((poll) => poll.id))];
  const cached = await db.polls.bulkGet(ids);
  const merged = new Map(ids.map((id, index) => [id, cached[index]]));
  for (const poll of polls) merged.set(poll.id, mergePoll(merged.get(poll.id), poll));
  await db.polls.bulkPut([...merged.values()].filter((poll) => poll !== undefined));
}

/** Stores the user unless the cache holds a newer revision. What referrals have earned is not in every answer. */
export async function putUser(db: UserDb, user: User): Promise<void> {
  await db.transaction('rw', db.user, async () => {
    const cached = await db.user.get(user.id);
    if (cached !== undefined && user.rev < cached.rev) {
      // What the first release has cached has no epoch yet.
      if (cached.epoch === undefined && user.epoch !== undefined)
        await db.user.update(user.id, { epoch: user.epoch });
      return;
    }
    const hasNewerPoints = (cached?.pointsRev ?? 0) > user.rev;
    const told = { ...cached, ...user, points: hasNewerPoints && cached ? cached.points : user.points };
    // Each write makes every open tab read again.
    if (JSON.stringify(told) !== JSON.stringify(cached)) await db.user.put(told);
  });
}

/** Stores one poll. */
export async function putPoll(db: UserDb, poll: Poll): Promise<void> {
  await db.transaction('rw', db.polls, () => putPolls(db, [poll]));
}

/** Forgets polls that are gone on the server. */
export async function dropPolls(db: UserDb, pollIds: readonly string[]): Promise<void> {
  await db.transaction('rw', db.polls, db.feed, db.mine, db.trending, async () => {
    for (const table of [db.polls, db.feed, db.mine, db.trending]) await table.bulkDelete([...pollIds]);
  });
}
