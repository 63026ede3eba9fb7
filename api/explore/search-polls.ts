import type * as z from 'zod/mini';
import type { Database } from '#api/db/client.ts';
import { searchIds } from '#api/db/search-ids.ts';
import type { Deps, ListSource } from '#api/deps.ts';
import { LIST_ENTRY_AGE_MAX_MS } from '#api/http/read-cache.ts';
import type { UserRow } from '#api/http/session/session-user.ts';
import { pollSearch } from '#api/polls/poll-search.ts';
import { type PollRow, statusOfRow, toPoll } from '#api/polls/poll-view.ts';
import { readPolls } from '#api/polls/queries.ts';
import { SEARCH_TOTAL_MAX, type SearchSort } from '#shared/explore/constants.ts';
import type { SearchPage, searchQuerySchema } from '#shared/explore/schema.ts';
import { type FoundPoll, findShown, sortByVotes } from './queries.ts';
import { decodeCursor, encodeCursor, isAfter } from './search-cursor.ts';

/** Up to `SEARCH_TOTAL_MAX` matches, in their order. */
type Results = { matches: FoundPoll[]; hasMoreThanTotal?: true };

/**
 * A page of the polls of the feed whose question, caption or maker's name contains `q`, as `viewer` sees them. The results are
 * the newest `SEARCH_TOTAL_MAX` matches; for `ending`, the `SEARCH_TOTAL_MAX` open matches that end first. All viewers and pages
 * share the results until they are `LIST_ENTRY_AGE_MAX_MS` old or the feed changes; `total` may count polls that have ended since.
 * Throws `invalid_input` for an invalid cursor, or one of another order.
 */
export async function searchPolls(
  { db, listCache, shareLinks, voteReader }: ListSource & Pick<Deps, 'shareLinks'>,
  viewer: UserRow,
  { q, sort, limit, cursor }: z.output<typeof searchQuerySchema>,
): Promise<SearchPage> {
  const after = cursor === undefined ? null : decodeCursor(cursor, sort);
  const load = () => findPolls(db, q, sort);
  const results = await listCache.read(`search by ${sort}: ${q}`, load, LIST_ENTRY_AGE_MAX_MS);
  const matches = await withoutHidden(db, viewer, results.matches);
  const remaining = after === null ? matches : matches.filter((poll) => isAfter(poll, after, sort));

  const nowMs = Date.now();
  const rows = await readRows(db, remaining, { sort, nowMs, limit: limit + 1 });
  const page = rows.slice(0, limit);
  const votes = await voteReader({ viewerId: viewer.id, pollIds: page.map(({ id }) => id) });
  const last = remaining.find(({ id }) => id === page.at(-1)?.id);
  const hasMore = rows.length > limit && last !== undefined;
  return {
    data: page.map((row) => toPoll(shareLinks, row, viewer, votes.get(row.id) ?? null, nowMs)),
    nextCursor: hasMore ? encodeCursor(sort, last) : null,
    ...(after === null && {
      total: matches.length,
      ...(results.hasMoreThanTotal && { hasMoreThanTotal: true }),
    }),
  };
}

async function findPolls(db: Database, q: string, sort: SearchSort): Promise<Results> {
  const source = pollSearch(q, sort === 'ending' ? 'open' : 'active');
  const query = { page: 1, limit: SEARCH_TOTAL_MAX };
  const { ids, ranks, hasMoreThanTotal } = await searchIds<string>(db, source, query);
  const matches =
    sort === 'votes'
      ? await sortByVotes(db, ids)
      : ids.map((id, index) => ({ id, value: ranks[index] ?? '' }));
  return { matches, ...(hasMoreThanTotal && { hasMoreThanTotal }) };
}

async function withoutHidden(db: Database, viewer: UserRow, matches: FoundPoll[]): Promise<FoundPoll[]> {
  if (!viewer.hidesPolls) return matches;
  const ids = matches.map(({ id }) => id);
  const shown = await findShown(db, viewer.id, ids);
  return matches.filter(({ id }) => shown.has(id));
}

/** The first `limit` of those polls that are still in the feed and, for `ending`, still open. */
async function readRows(
  db: Database,
  matches: readonly FoundPoll[],
  { sort, nowMs, limit }: { sort: SearchSort; nowMs: number; limit: number },
): Promise<PollRow[]> {
  const rows: PollRow[] = [];
  for (let start = 0; start < matches.length && rows.length < limit; start += limit) {
    const ids = matches.slice(start, start + limit).map(({ id }) => id);
    const isStillMatch = (row: PollRow) =>
      row.active && (sort !== 'ending' || statusOfRow(row, nowMs) === 'active');
    rows.push(...(await readPolls(db, ids)).filter(isStillMatch));
  }
  return rows.slice(0, limit);
}
