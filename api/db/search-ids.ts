import { SEARCH_TOTAL_MAX } from '#shared/explore/constants.ts';
import type { Database, Handle } from './client.ts';
import { inTransaction, type Transaction } from './transaction.ts';

/** The requested page: the `page`-th (from 1) of `limit` rows each. */
export type PageQuery = { page: number; limit: number };

/** The ids of one page of a list, in order. `total`: the counted rows of the whole list; `hasMoreThanTotal`: it has more. */
export type IdPage<Id> = { ids: Id[]; total: number; hasMoreThanTotal?: true };

/** `ranks` has the values by which the ids are sorted, as text. */
type RankedIdPage<Id> = IdPage<Id> & { ranks: string[] };

/** A piece of tagged SQL. The builder cannot express the conditions, materialised parts and settings of a search. */
export type Fragment = ReturnType<Handle['sql']>;

/** Three ways to search the same rows. Each is a query for the `id` and `rank` of the rows that match, in any order. */
export type SearchSource = {
  /** Whether the lowest ranks come first in the list. */
  isAscending: boolean;
  /** Reads the first `rows` rows of the list and searches those. Fast only for few rows. */
  searchFirst(handle: Handle, rows: number): Fragment;
  /** Searches the first `rows` rows in the order of the list, so that the database can stop once it has found enough. */
  searchInOrder(handle: Handle, rows: number): Fragment;
  /** Searches all rows, by the index. */
  searchByIndex(handle: Handle): Fragment;
};

/** How many rows `searchFirst` reads, to estimate how common the text is. */
const FIRST_ROWS = 2_000;
/** How many rows `searchInOrder` reads at most. */
const IN_ORDER_ROWS_MAX = 50_000;
/**
 * With at least this many hits in `searchFirst` the text is common: at this rate, `searchInOrder` finds as many matches as are
 * counted.
 */
const COMMON_HITS = (SEARCH_TOTAL_MAX * FIRST_ROWS) / IN_ORDER_ROWS_MAX;
/**
 * Whether a text contains a trigram, so that the index can be used: three letters or digits in a row, or two at the edge of a
 * word, where the edge counts as a space. (A single letter at the beginning of a word has a trigram, too, but one that is in most
 * texts.) The first and last letters of the text may be in the middle of a word, and count as having no edge. Digits are only 0 to
 * 9: for PostgreSQL other numbers, such as ½ and ①, are not part of a word.
 */
const HAS_TRIGRAMS = /[\p{L}0-9]{3}|[^\p{L}0-9][\p{L}0-9]{2}|[\p{L}0-9]{2}[^\p{L}0-9]/u;

/**
 * The ids of one page of the results of a search, in the order of their ranks. Matches are counted up to `SEARCH_TOTAL_MAX`.
 * For a common text it is fastest to read rows in the order of the list until there are enough matches; for a rare text, to use
 * the index of trigrams, which finds all matches. The number of matches among the first rows shows how common the text is.
 */
export function searchIds<Id extends number | string>(
  db: Database,
  source: SearchSource,
  query: PageQuery,
): Promise<RankedIdPage<Id>> {
  return inTransaction(db, async (tx) => {
    // Plans depend on the text: one plan for every text would be slow for most of them.
    await tx.sql`
      select set_config('plan_cache_mode', 'force_custom_plan', true), set_config('jit', 'off', true)`;
    const read = (matches: Fragment) => readMatches<Id>(tx, matches, source, query);
    const first = await read(source.searchFirst(tx, FIRST_ROWS));
    if (first.hasMoreThanTotal) return first;
    if (first.total >= COMMON_HITS) {
      const inOrder = await read(source.searchInOrder(tx, IN_ORDER_ROWS_MAX));
      if (inOrder.hasMoreThanTotal) return inOrder;
    }
    return read(source.searchByIndex(tx));
  });
}

async function readMatches<Id extends number | string>(
  tx: Transaction,
  matches: Fragment,
  { isAscending }: SearchSource,
  { page, limit }: PageQuery,
): Promise<RankedIdPage<Id>> {
  // With `nulls last`, as in the index: the database does not use an index for any other order than its own.
  const orderBy = isAscending
    ? tx.sql`order by rank, id`
    : tx.sql`order by rank desc nulls last, id desc nulls last`;
  const offset = (page - 1) * limit;
  const count = Math.max(0, Math.min(limit, SEARCH_TOTAL_MAX - offset));
  const rows = await tx.sql<{ total: number; id: Id | null; rankText: string | null }[]>`
    with found as materialized (
      select id, rank from (${matches}) matches ${orderBy} limit ${SEARCH_TOTAL_MAX + 1}
    ), page as (
      select id, rank from found ${orderBy} limit ${count} offset ${offset}
    )
    select counted.total, page.id, page.rank::text as "rankText" from (select count(*)::int as total from found) counted left join page on true
    ${orderBy}`;
  const total = rows[0]?.total ?? 0;
  return {
    ids: rows.flatMap(({ id }) => id ?? []),
    ranks: rows.flatMap(({ rankText }) => rankText ?? []),
    total: Math.min(total, SEARCH_TOTAL_MAX),
    ...(total > SEARCH_TOTAL_MAX && { hasMoreThanTotal: true }),
  };
}

/**
 * The condition of a search for `text` in a column with two indexes: one of trigrams, and one of `letter_pairs`, a function of the
 * database that returns every single character and every two neighbouring characters of a text, in lower case. The condition uses
 * the first index if the text contains trigrams, else the second.
 */
export function containingIndexed(text: string): Condition {
  if (HAS_TRIGRAMS.test(text)) return containing(text);
  if ([...text].length <= 2)
    return ({ sql }, column) => sql`letter_pairs(${column}) @> array[lower(${text})]`;
  const contains = containing(text);
  return (handle, column) =>
    handle.sql`(letter_pairs(${column}) @> letter_pairs(${text}) and ${contains(handle, column)})`;
}

/** The condition that a text column contains the searched text, ignoring case. */
export type Condition = (handle: Handle, column: Fragment) => Fragment;

/**
 * The condition of a search for `text`, in which `%`, `_` and `\` are ordinary characters. `ilike`, which uses the index of
 * trigrams, is only for texts that contain trigrams: for any other text the index would return every row, which takes ten times
 * as long as reading the table.
 */
export function containing(text: string): Condition {
  const pattern = toPattern(text);
  if (HAS_TRIGRAMS.test(text)) return ({ sql }, column) => sql`${column} ilike ${pattern}`;
  if ([...text].length > 2) return ({ sql }, column) => sql`lower(${column}) like lower(${pattern})`;
  // Compares with all spellings of one or two characters, which takes half the time of `lower()` on a million texts. The
  // collation differs from that of the index, so that the database does not use the index.
  const [one, two, three, four] = spellings(text).map(toPattern);
  return ({ sql }, column) =>
    sql`${column} collate "C" like any(array[${one ?? ''}, ${two ?? ''}, ${three ?? ''}, ${four ?? ''}])`;
}

function toPattern(text: string): string {
  return `%${text.replace(/[\\%_]/g, '\\$&')}%`;
}

/** The four spellings of two characters in upper and lower case; the two spellings of a single character, each twice. */
function spellings(text: string): string[] {
  const [first = '', second = ''] = [...text];
  const bothCases = (character: string) => [character.toLowerCase(), character.toUpperCase()];
  return bothCases(first).flatMap((start) => bothCases(second).map((end) => start + end));
}
