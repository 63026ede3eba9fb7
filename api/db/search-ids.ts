import type { Database, Handle } from '#api/db/client.ts';
import { inTransaction, type Transaction } from '#api/db/transaction.ts';
import { SEARCH_TOTAL_MAX } from '#shared/explore/constants.ts';

/** What a call asks for: the `page`-th piece (from 1) of `limit` rows. */
export type PageQuery = { page: number; limit: number };

/** The ids of one page, in order, of a list with `total` rows. */
export type IdPage<Id> = { ids: Id[]; total: number; hasMoreThanTotal?: true };

/** A piece of tagged SQL: conditions, materialised parts and settings are more than the builder has words for. */
export type Fragment = ReturnType<Handle['sql']>;

/** Where a search looks: each gives `id` and `rank` of what matches, in any order. */
export type SearchSource = {
  /** Whether the lowest ranks come first. */
  isRising: boolean;
  /** Among so many of the first rows, which are few. */
  glance(handle: Handle, rows: number): Fragment;
  /** Among so many of the first rows, in their order, so that it can end when there are enough. */
  walk(handle: Handle, rows: number): Fragment;
  all(handle: Handle): Fragment;
};

/** A look at this many of the first rows tells whether a search is for something common. */
const GLANCE_ROWS = 2_000;
/** So many of them and more: enough are found soon by going through the rows in their order. */
const COMMON_HITS = 40;
const WALK_ROWS = 50_000;
/** Three letters in a row, or two beside the edge of a word, which counts as a space. The edges of a text are open. */
const HAS_TRIGRAMS = /[\p{L}\p{N}]{3}|[^\p{L}\p{N}][\p{L}\p{N}]{2}|[\p{L}\p{N}]{2}[^\p{L}\p{N}]/u;

/**
 * The ids of a page of what a search finds, in the order of their ranks. Matches are counted up to a bound. What is common is
 * found by going through the first rows until there are enough; what is rare by the index of trigrams, all of it.
 */
export function searchIds<Id extends number | string>(
  db: Database,
  source: SearchSource,
  query: PageQuery,
): Promise<IdPage<Id>> {
  return inTransaction(db, async (tx) => {
    // A plan for any text would be a bad one for most.
    await tx.sql`
      select set_config('plan_cache_mode', 'force_custom_plan', true), set_config('jit', 'off', true)`;
    const read = (matches: Fragment) => readFound<Id>(tx, matches, source, query);
    const glance = await read(source.glance(tx, GLANCE_ROWS));
    if (glance.hasMoreThanTotal) return glance;
    if (glance.total >= COMMON_HITS) {
      const walk = await read(source.walk(tx, WALK_ROWS));
      if (walk.hasMoreThanTotal) return walk;
    }
    return read(source.all(tx));
  });
}

async function readFound<Id extends number | string>(
  tx: Transaction,
  matches: Fragment,
  { isRising }: SearchSource,
  { page, limit }: PageQuery,
): Promise<IdPage<Id>> {
  // `nulls last` as in the indexes, which are not used otherwise.
  const inOrder = isRising
    ? tx.sql`order by rank, id`
    : tx.sql`order by rank desc nulls last, id desc nulls last`;
  const offset = (page - 1) * limit;
  const count = Math.max(0, Math.min(limit, SEARCH_TOTAL_MAX - offset));
  const rows = await tx.sql<{ total: number; id: Id | null }[]>`
    with found as materialized (
      select id, rank from (${matches}) matches ${inOrder} limit ${SEARCH_TOTAL_MAX + 1}
    ), page as (
      select id, rank from found ${inOrder} limit ${count} offset ${offset}
    )
    select counted.total, page.id from (select count(*)::int as total from found) counted left join page on true
    ${inOrder}`;
  const total = rows[0]?.total ?? 0;
  const ids = rows.flatMap(({ id }) => (id === null ? [] : [id]));
  return total > SEARCH_TOTAL_MAX ? { ids, total: SEARCH_TOTAL_MAX, hasMoreThanTotal: true } : { ids, total };
}

/**
 * The condition of a search for `text` in a column that has an index of its `letter_pairs` beside that of trigrams: what
 * is rare is found by one of the two.
 */
export function containingIndexed(text: string): Condition {
  if (HAS_TRIGRAMS.test(text)) return containing(text);
  if ([...text].length <= 2)
    return ({ sql }, column) => sql`letter_pairs(${column}) @> array[lower(${text})]`;
  const contains = containing(text);
  return (handle, column) =>
    handle.sql`(letter_pairs(${column}) @> letter_pairs(${text}) and ${contains(handle, column)})`;
}

/** Whether a column of text contains what is searched for, whatever its case. */
export type Condition = (handle: Handle, column: Fragment) => Fragment;

/**
 * The condition of a search for `text`, whose `%`, `_` and `\` are plain characters. The index of trigrams is asked
 * only for what has any: for anything else it would give all that it has, ten times slower than reading the table.
 */
export function containing(text: string): Condition {
  const pattern = toPattern(text);
  if (HAS_TRIGRAMS.test(text)) return ({ sql }, column) => sql`${column} ilike ${pattern}`;
  if ([...text].length > 2) return ({ sql }, column) => sql`lower(${column}) like lower(${pattern})`;
  // Half the time of bringing a million texts to lower case. Under another collation than the index has, it is not asked.
  const [one, two, three, four] = spellings(text).map(toPattern);
  return ({ sql }, column) =>
    sql`${column} collate "C" like any(array[${one ?? ''}, ${two ?? ''}, ${three ?? ''}, ${four ?? ''}])`;
}

function toPattern(text: string): string {
  return `%${text.replace(/[\\%_]/g, '\\$&')}%`;
}

/** The four ways to write two characters; one character is written in two ways, each of them twice. */
function spellings(text: string): string[] {
  const [first = '', second = ''] = [...text];
  const ways = (character: string) => [character.toLowerCase(), character.toUpperCase()];
  return ways(first).flatMap((start) => ways(second).map((end) => start + end));
}
