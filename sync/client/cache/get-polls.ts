import type { CachedPoll, UserDb } from '#sync/client/db.ts';

/**
 * Reads cached polls by id, in the order of `ids`. Ids contain the time of their creation, so the polls of the feed are next to
 * each other: one request for their range is faster than a request for each. Polls that are not among the first rows of the
 * range, because other polls are between them, are read individually.
 */
export async function getPolls(db: UserDb, ids: readonly string[]): Promise<(CachedPoll | undefined)[]> {
  const sorted = [...ids].sort();
  const [first] = sorted;
  const last = sorted.at(-1);
  if (first === undefined || last === undefined) return [];
  const rows = await db.polls
    .where('id')
    .between(first, last, true, true)
    .limit(2 * ids.length)
    .toArray();
  const byId = new Map(rows.map((poll) => [poll.id, poll]));
  const missing = ids.filter((id) => !byId.has(id));
  for (const poll of await db.polls.bulkGet(missing)) if (poll !== undefined) byId.set(poll.id, poll);
  return ids.map((id) => byId.get(id));
}
