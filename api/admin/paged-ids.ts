import type { Handle } from '#api/db/client.ts';
import type { IdPage, PageQuery } from '#api/db/search-ids.ts';
import type { AdminPagination } from '#shared/admin/schema.ts';

/**
 * The ids of a page of a whole table that has `total` rows, newest first. A page of the second half is read from the
 * end of the index, so that the last page costs no more than the first.
 */
export async function listIds<Id extends number | string>(
  { sql }: Handle,
  table: 'users' | 'polls',
  { page, limit }: PageQuery,
  total: number,
): Promise<Id[]> {
  const offset = (page - 1) * limit;
  const count = Math.min(limit, total - offset);
  if (count <= 0) return [];
  const after = total - offset - count;
  if (offset <= after) {
    // `nulls last` as in the indexes, which are not used otherwise.
    const rows = await sql<{ id: Id }[]>`
      select id from ${sql(table)} order by created_at desc nulls last, id desc nulls last
      limit ${count} offset ${offset}`;
    return rows.map(({ id }) => id);
  }
  const rows = await sql<{ id: Id }[]>`
    select id from ${sql(table)} order by created_at nulls first, id nulls first limit ${count} offset ${after}`;
  return rows.map(({ id }) => id).reverse();
}

/** What a list says about its page and its length. */
export function toPagination(
  { page, limit }: PageQuery,
  { total, hasMoreThanTotal }: Pick<IdPage<unknown>, 'total' | 'hasMoreThanTotal'>,
): AdminPagination {
  const pages = Math.ceil(total / limit);
  return { page, limit, total, pages, ...(hasMoreThanTotal && { hasMoreThanTotal }) };
}
