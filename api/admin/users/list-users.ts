import { count, desc } from 'drizzle-orm';
import { listIds, toPagination } from '#api/admin/paged-ids.ts';
import type { Database, Handle } from '#api/db/client.ts';
import { isOneOf } from '#api/db/columns.ts';
import { users } from '#api/db/schema/users.ts';
import {
  containing,
  type Fragment,
  type IdPage,
  type PageQuery,
  type SearchSource,
  searchIds,
} from '#api/db/search-ids.ts';
import { toUser, type UserRow, userFields } from '#api/http/session/session-user.ts';
import type { AdminUsers } from '#shared/admin/schema.ts';

/** A page of the users, newest first: all of them, or those whose name or email contains `search`. */
export async function listUsers(db: Database, query: PageQuery & { search: string }): Promise<AdminUsers> {
  const page =
    query.search === ''
      ? await listAll(db, query)
      : await searchIds<number>(db, userSearch(query.search), query);
  const rows = await readUsers(db, page.ids);
  return { users: rows.map(toUser), pagination: toPagination(query, page) };
}

async function listAll(db: Database, query: PageQuery): Promise<IdPage<number>> {
  const [{ total } = { total: 0 }] = await db.orm.select({ total: count() }).from(users);
  return { ids: await listIds<number>(db, 'users', query, total), total };
}

/** The users whose name or email contains `search`. In tagged SQL, as `searchIds` requires. */
function userSearch(search: string): SearchSource {
  const contains = containing(search);
  const matches = (handle: Handle) => {
    const { sql } = handle;
    return sql`(${contains(handle, sql`username`)} or ${contains(handle, sql`email`)})`;
  };
  // `nulls last` as in the index: otherwise PostgreSQL would not use it.
  const newest = (handle: Handle, rows: number): Fragment => handle.sql`
    select id, created_at as rank from (
      select id, created_at, username, email from users
      order by created_at desc nulls last, id desc nulls last limit ${rows}
    ) newest where ${matches(handle)}`;
  return {
    isAscending: false,
    searchFirst: newest,
    searchInOrder: newest,
    searchByIndex: (handle) => handle.sql`select id, created_at as rank from users where ${matches(handle)}`,
  };
}

async function readUsers({ orm }: Handle, ids: readonly number[]): Promise<UserRow[]> {
  if (ids.length === 0) return [];
  return orm
    .select(userFields)
    .from(users)
    .where(isOneOf(users.id, ids))
    .orderBy(desc(users.createdAt), desc(users.id));
}
