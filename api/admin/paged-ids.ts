import type { Handle } from '#api/db/client.ts';
import { retryLost } from '#api/db/retry-lost.ts';
import type { IdPage, PageQuery } from '#api/db/search-ids.ts';
import type { AdminPagination } from '#shared/admin/schema.ts';

/**
 * The ids of one page of all rows of a table, newest first; `total` is the number of its rows. A page in the second half is
 * read from the end of the index, so that the last page costs no more than the first.
 */
export async function listIds<Id extends number | string>(
  { sql }: Handle,
  table: 'users' | 'polls',
  { page, limit }: PageQuery,
  total: number,
): Promise<Id[]> {
  // Tagged SQL, since the table is a parameter.
  const offset = (page - 1) * limit;
  const count = Math.min(limit, total - offset);
  if (count <= 0) return [];
  const rowsAfter = total - offset - count;
  if (offset <= rowsAfter) {
    // `nulls last` as in the index: otherwise PostgreSQL would not use it.
    const rows = await retryLost(
      () => sql<{ id: Id }[]>`
        select id from ${sql(table)} order by created_at desc nulls last, id desc nulls last
        limit ${count} offset ${offset}`,
    );
    return rows.map(({ id }) => id);
  }
  const rows = await retryLost(
    () => sql<{ id: Id }[]>`
      select id from ${sql(table)} order by created_at nulls first, id nulls first limit ${count} offset ${rowsAfter}`,
  );
  return rows.map(({ id }) => id).reverse();
}

/** The `pagination` of a response that has one page of a list. */
export function toPagination(
  { page, limit }: PageQuery,
  { total, hasMoreThanTotal }: Pick<IdPage<unknown>, 'total' | 'hasMoreThanTotal'>,
): AdminPagination {
  const pages = Math.ceil(total / limit);
  return { page, limit, total, pages, ...(hasMoreThanTotal && { hasMoreThanTotal }) };
}
