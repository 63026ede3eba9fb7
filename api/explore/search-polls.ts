import type * as z from 'zod/mini';
import { searchIds } from '#api/db/search-ids.ts';
import type { Deps, ListSource } from '#api/deps.ts';
import type { UserRow } from '#api/http/session/session-user.ts';
import { pollsWith } from '#api/polls/poll-search.ts';
import { toPoll } from '#api/polls/poll-view.ts';
import { SEARCH_TOTAL_MAX } from '#shared/explore/constants.ts';
import type { SearchPage, searchQuerySchema } from '#shared/explore/schema.ts';
import { listFound } from './queries.ts';
import { decodeCursor, encodeCursor } from './search-cursor.ts';

/**
 * A page of the polls of the feed whose question, caption or maker's name contains `q`, as `viewer` sees them. Sorted are the
 * newest `SEARCH_TOTAL_MAX` of them; by their end, as many of the open ones that end first. Throws `invalid_input` for a cursor
 * of somebody else's making, or of another order.
 */
export async function searchPolls(
  { db, shareLinks, voteReader }: ListSource & Pick<Deps, 'shareLinks'>,
  viewer: UserRow,
  { q, sort, limit, cursor }: z.output<typeof searchQuerySchema>,
): Promise<SearchPage> {
  const after = cursor === undefined ? null : decodeCursor(cursor, sort);
  const source = pollsWith(q, sort === 'ending' ? 'open' : 'active');
  const { ids, hasMoreThanTotal } = await searchIds<string>(db, source, { page: 1, limit: SEARCH_TOTAL_MAX });
  const found = await listFound(db, viewer, { ids, sort, after }, limit + 1);
  const page = found.slice(0, limit);
  const votes = await voteReader({ viewerId: viewer.id, pollIds: page.map(({ id }) => id) });
  const nowMs = Date.now();
  const last = page.at(-1);
  const hasMore = found.length > limit && last !== undefined;
  return {
    data: page.map((row) => toPoll(shareLinks, row, viewer, votes.get(row.id) ?? null, nowMs)),
    nextCursor: hasMore ? encodeCursor(sort, { value: last.place, id: last.id }) : null,
    ...(after === null && { total: found[0]?.total ?? 0, ...(hasMoreThanTotal && { hasMoreThanTotal }) }),
  };
}
