import { listIds, toPagination } from '#api/admin/paged-ids.ts';
import type { Database } from '#api/db/client.ts';
import { type IdPage, type PageQuery, searchIds } from '#api/db/search-ids.ts';
import type { UserRow } from '#api/http/session/session-user.ts';
import { findVotes } from '#api/polls/poll-rows.ts';
import { pollSearch } from '#api/polls/poll-search.ts';
import { toPoll } from '#api/polls/poll-view.ts';
import { countPolls, readPolls } from '#api/polls/queries.ts';
import type { ShareLinks } from '#api/polls/sharing/share-links.ts';
import type { AdminPolls } from '#shared/admin/schema.ts';

/**
 * A page of the polls including inactive, hidden and removed ones, newest first: all of them, or those whose question, caption
 * or maker's name contains `search`.
 */
export async function listPolls(
  { db, shareLinks }: { db: Database; shareLinks: ShareLinks },
  viewer: UserRow,
  query: PageQuery & { search: string },
): Promise<AdminPolls> {
  const page =
    query.search === ''
      ? await listAll(db, query)
      : await searchIds<string>(db, pollSearch(query.search, 'any'), query);
  const rows = await readPolls(db, page.ids);
  const votes = await findVotes(db, viewer.id, page.ids);
  const nowMs = Date.now();
  return {
    polls: rows.map((row) => toPoll(shareLinks, row, viewer, votes.get(row.id) ?? null, nowMs)),
    pagination: toPagination(query, page),
  };
}

async function listAll(db: Database, query: PageQuery): Promise<IdPage<string>> {
  const { total } = await countPolls(db);
  return { ids: await listIds<string>(db, 'polls', query, total), total };
}
