import { type SQL, sql } from 'drizzle-orm';

/** Comma-separated literals for a CHECK, which takes no parameters. */
export function literals(...values: readonly (number | string)[]): SQL {
  return sql.raw(values.map((value) => (typeof value === 'number' ? value : `'${value}'`)).join(', '));
}
