import { type SQL, sql } from 'drizzle-orm';

/** Constants in the text of a CHECK, which takes no parameters: numbers, or words in quotes, with commas between. */
export function literals(...values: readonly (number | string)[]): SQL {
  return sql.raw(values.map((value) => (typeof value === 'number' ? value : `'${value}'`)).join(', '));
}
