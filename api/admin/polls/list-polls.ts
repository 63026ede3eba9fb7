import {
  containing,
  containingIndexed,
  type Fragment,
  type IdPage,
  listIds,
  type PageQuery,
  type SearchSource,
  searchIds,
  toPagination,
} from '#api/admin/paged-ids.ts';
import type { Database, Handle } from '#api/db/client.ts';
import { isOneOf } from '#api/db/columns.ts';
import { polls } from '#api/db/schema/polls.ts';
import type { UserRow } from '#api/http/session/session-user.ts';
import { findVotes } from '#api/polls/poll-rows.ts';
import { type PollRow, toPoll } from '#api/polls/poll-view.ts';
import { countPolls, NEWEST_FIRST, selectPolls } from '#api/polls/queries.ts';
import type { ShareLinks } from '#api/polls/sharing/share-links.ts';
import type { AdminPolls } from '#shared/admin/schema.ts';

/**
 * A page of the polls, inactive ones too, newest first: all of them, or those whose question or whose maker's name
 * contains `search`.
 */
export async function listPolls(
  { db, shareLinks }: { db: Database; shareLinks: ShareLinks },
  viewer: UserRow,
  query: PageQuery & { search: string },
): Promise<AdminPolls> {
  const found =
    query.search === ''
      ? await listAll(db, query)
      : await searchIds<string>(db, pollsWith(query.search), query);
  const rows = await readPolls(db, found.ids);
  const votes = await findVotes(db, viewer.id, found.ids);
  const nowMs = Date.now();
  return {
    polls: rows.map((row) => toPoll(shareLinks, row, viewer, votes.get(row.id) ?? null, nowMs)),
    pagination: toPagination(query, found),
  };
}

async function listAll(db: Database, query: PageQuery): Promise<IdPage<string>> {
  const { total } = await countPolls(db);
  return { ids: await listIds<string>(db, 'polls', query, total), total };
}

/** In tagged SQL, as `searchIds` puts it together. */
function pollsWith(search: string): SearchSource {
  const contains = containing(search);
  const question = (handle: Handle) => contains(handle, handle.sql`question`);
  const indexedQuestion = containingIndexed(search);
  const username = (handle: Handle) => contains(handle, handle.sql`makers.username`);
  const newest = (handle: Handle, rows: number, isByMaker: Fragment): Fragment => handle.sql`
    select id, created_at from (
      select id, created_at, question, user_id from polls
      order by created_at desc nulls last, id desc nulls last limit ${rows}
    ) newest where ${question(handle)} or ${isByMaker}`;
  return {
    // Name by name for few rows, all names at once for many.
    glance: (handle, rows) => {
      const name: Fragment = handle.sql`(select username from users where users.id = newest.user_id)`;
      return newest(handle, rows, contains(handle, name));
    },
    walk: (handle, rows) => {
      const makers: Fragment = handle.sql`select makers.id from users makers where ${username(handle)}`;
      return newest(handle, rows, handle.sql`user_id in (${makers})`);
    },
    all: (handle) => handle.sql`
      select id, created_at from polls where ${indexedQuestion(handle, handle.sql`question`)}
      union
      select polls.id, polls.created_at from users makers join polls on polls.user_id = makers.id
      where ${username(handle)}`,
  };
}

async function readPolls(handle: Handle, ids: readonly string[]): Promise<PollRow[]> {
  if (ids.length === 0) return [];
  return selectPolls(handle)
    .where(isOneOf(polls.id, ids))
    .orderBy(...NEWEST_FIRST);
}
