import { getTableName } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';
import type { Handle } from './client.ts';

/** Columns of the builder for a `select` or `returning` of tagged SQL, each under its name in the row. */
export function columnsFragment({ sql }: Handle, columns: Readonly<Record<string, PgColumn>>) {
  const selected = Object.entries(columns).map(
    ([name, column]) => `${getTableName(column.table)}.${column.name} as "${name}"`,
  );
  return sql.unsafe(selected.join(', '));
}
