import type * as z from 'zod/mini';
import type { Deps, ListSource } from '#api/deps.ts';
import type { UserRow } from '#api/http/session/session-user.ts';
import { TRENDING_COUNT_MAX } from '#shared/polls/constants.ts';
import type { Poll, trendingQuerySchema } from '#shared/polls/schema.ts';
import { findVotes } from './poll-rows.ts';
import { toPoll } from './poll-view.ts';
import { countRecentVotes, listTrending } from './queries.ts';

type TrendingQuery = z.output<typeof trendingQuerySchema>;

/**
 * The open polls with the most votes as `viewer` sees them, without polls hidden for them; the ranking is up to a second old.
 */
export async function readTrending(
  { db, listCache, shareLinks }: ListSource & Pick<Deps, 'shareLinks'>,
  viewer: UserRow,
  query: TrendingQuery,
): Promise<Poll[]> {
  const viewerId = viewer.hidesPolls ? viewer.id : null;
  const read = <Value>(key: string, load: () => Promise<Value>): Promise<Value> =>
    viewerId === null ? listCache.read(key, load) : load();
  const rows = await read('trending', () => listTrending(db, TRENDING_COUNT_MAX, viewerId));
  const ids = rows.map(({ id }) => id);
  // The key names the polls: another read may have counted the votes for an earlier ranking.
  const readRecent = () => read(`recent votes of ${ids.join()}`, () => countRecentVotes(db, ids));
  const recent = query.metrics === 'true' ? await readRecent() : null;
  const votes = await findVotes(db, viewer.id, ids);
  const nowMs = Date.now();
  return rows
    .map((row) => toPoll(shareLinks, row, viewer, votes.get(row.id) ?? null, nowMs))
    .filter((poll) => poll.status === 'active' && poll.votesCount >= query.minVotes)
    .slice(0, query.limit)
    .map((poll) => (recent === null ? poll : { ...poll, votesLast24h: recent.get(poll.id) ?? 0 }));
}
