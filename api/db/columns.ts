import { getTableName, type SQL, sql } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';

/** Columns of the builder as the text of a `select` or `returning` in tagged SQL, each under its name in the row. */
export function columnList(columns: Readonly<Record<string, PgColumn>>): string {
  return Object.entries(columns)
    .map(([name, column]) => `${getTableName(column.table)}.${column.name} as "${name}"`)
    .join(', ');
}

/**
 * Whether a column has one of these values: one statement for any number of them. They go as the text of an array (none
 * may hold a comma or a brace), since the driver knows no array types on the embedded database.
 */
export function isOneOf(column: PgColumn, values: readonly (string | number)[]): SQL {
  return sql`${column} = any(${`{${values.join()}}`}::${sql.raw(column.getSQLType())}[])`;
}
