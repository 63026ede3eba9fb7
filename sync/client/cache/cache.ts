import type { User } from '#shared/accounts/schema.ts';
import type { Poll } from '#shared/polls/schema.ts';
import type { Block } from '#shared/reports/schema.ts';
import type { CachedPoll, CachedUser, ListMeta, UserDb } from '#sync/client/db.ts';
import { isReflectedByRead } from '#sync/client/outbox/hidden.ts';
import { makerKey } from '#sync/operations/visibility-change.ts';
import { markFresh } from './stale-polls.ts';

/**
 * Merges a poll from the server into the cached poll. Never replaces a newer revision, and never drops the user's own confirmed
 * vote.
 */
export function mergePoll(cached: CachedPoll | undefined, incoming: Poll): CachedPoll {
  if (cached === undefined) return incoming;
  if (incoming.rev < cached.rev) {
    // Live updates about later votes may arrive before the response to the user's own vote.
    const [incomingVote] = incoming.votes;
    const [cachedVote] = cached.votes;
    if (incomingVote === undefined) return cached;
    if (cachedVote === undefined) {
      // If the live update has the same number of votes, a vote may have been changed since the response.
      const isChanged = cached.results === null && incoming.votesCount === cached.votesCount;
      const results = cached.results ?? incoming.results;
      return { ...cached, votes: incoming.votes, results, ...(isChanged && { areResultsOld: true }) };
    }
    // The vote with fewer changes left is the later one; if an older server sends no `changesLeft`, the cached vote stays. The
    // cached results do not include a later vote: live updates raise `rev`, but contain only the number of votes.
    const isLater = (incomingVote.changesLeft ?? Number.POSITIVE_INFINITY) < (cachedVote.changesLeft ?? 0);
    return isLater ? { ...cached, votes: [incomingVote], areResultsOld: true } : cached;
  }
  if (incoming.votes.length > 0 || cached.votes.length === 0) return incoming;
  return { ...incoming, votes: cached.votes, results: incoming.results ?? cached.results };
}

/**
 * Whether a response may still be stored.
 * - `current`: yes
 * - `logged_out`: no, the user has logged out since the request was sent
 * - `former_server`: no, the server has been replaced or restored since then
 */
export type ResponseValidity = 'current' | 'logged_out' | 'former_server';

/**
 * Checks whether a response to a request for the server with `epoch` may be stored. Must run in the transaction that stores the
 * response, so that no logout can happen in between.
 */
export async function responseValidity(
  db: UserDb,
  userId: number,
  epoch: string | undefined,
): Promise<ResponseValidity> {
  const user = await db.user.get(userId);
  // A logout clears `user`, but keeps `account` and the ops. Even then, an op that only the former server has acknowledged must
  // remain in the outbox.
  const account = user ?? (await db.account.get(userId));
  if (epoch !== undefined && account?.epoch !== undefined && account.epoch !== epoch) return 'former_server';
  return user === undefined ? 'logged_out' : 'current';
}

/** The metadata of a list that was read at `fetchedAt`; it has more pages if `nextCursor` is not null. */
export function listMetaOf(list: ListMeta['list'], fetchedAt: number, nextCursor: string | null): ListMeta {
  return { list, fetchedAt, etag: null, nextCursor, hasMore: nextCursor !== null };
}

/** Merges polls from the server into the cache. Runs in the caller's transaction. */
export async function putPolls(db: UserDb, polls: readonly Poll[]): Promise<void> {
  const ids = [...new Set(polls.map((poll) => poll.id))];
  const cached = await db.polls.bulkGet(ids);
  const merged = new Map(ids.map((id, index) => [id, cached[index]]));
  for (const poll of polls) merged.set(poll.id, mergePoll(merged.get(poll.id), poll));
  await db.polls.bulkPut([...merged.values()].filter((poll) => poll !== undefined));
  markFresh(db, ids);
}

/**
 * Merges a user from the server into the cached user. Fields that the response lacks, such as `referralPoints`, are kept,
 * except `pendingEmail` and `deletion`: without them, no email change or deletion is pending.
 */
function mergeUser(cached: CachedUser | undefined, user: User): CachedUser {
  // Without `weeklyMail`, the response is from an older server, which sends neither of these two fields.
  if (cached === undefined || user.weeklyMail === undefined) return { ...cached, ...user };
  const { pendingEmail: _, deletion: __, ...kept } = cached;
  return { ...kept, ...user };
}

/**
 * Stores the user unless the cache has a newer revision. Votes that were waiting for the verification of the email become due
 * once it is verified.
 */
export async function putUser(db: UserDb, user: User): Promise<void> {
  await db.transaction('rw', db.user, db.ops, async () => {
    const cached = await db.user.get(user.id);
    if (cached !== undefined && user.rev < cached.rev) {
      // The first release did not cache the epoch.
      if (cached.epoch === undefined && user.epoch !== undefined)
        await db.user.update(user.id, { epoch: user.epoch });
      return;
    }
    const hasNewerPoints = (cached?.pointsRev ?? 0) > user.rev;
    const merged = mergeUser(cached, user);
    if (hasNewerPoints && cached !== undefined) merged.points = cached.points;
    // An unchanged user is not written: each write makes every open tab read its lists again.
    if (JSON.stringify(merged) !== JSON.stringify(cached)) await db.user.put(merged);
    // If no user is cached, as after a logout, the email may have been verified in the meantime.
    if (cached?.isVerified === true || !merged.isVerified) return;
    await db.ops
      .where('state')
      .equals('queued')
      .and(({ lastError }) => lastError?.code === 'vote_limit')
      .modify({ nextAttemptAt: 0 });
  });
}

/**
 * Replaces the blocked users with the result of a read that started at `startedAt`, except for blocks and unblocks that were
 * acknowledged later.
 */
export async function putBlocks(db: UserDb, blocks: readonly Block[], startedAt: number): Promise<void> {
  await db.transaction('rw', db.hidden, async () => {
    const makers = db.hidden.filter(({ username }) => username !== undefined);
    const newerEntries = (await makers.toArray()).filter((entry) => !isReflectedByRead(entry, startedAt));
    await makers.delete();
    await db.hidden.bulkPut(
      blocks.map(({ username }) => ({
        key: makerKey(username),
        isHidden: true,
        username,
        ackedAt: startedAt,
      })),
    );
    await db.hidden.bulkPut(newerEntries);
  });
}

/** Removes polls that no longer exist on the server. */
export async function dropPolls(db: UserDb, pollIds: readonly string[]): Promise<void> {
  const tables = [db.polls, db.feed, db.mine, db.trending, db.deck];
  await db.transaction('rw', tables, async () => {
    for (const table of tables) await table.bulkDelete([...pollIds]);
  });
}
