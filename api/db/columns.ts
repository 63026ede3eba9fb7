import { getTableName, type SQL, sql } from 'drizzle-orm';
import { integer, type PgColumn, text, timestamp, uuid } from 'drizzle-orm/pg-core';
import type { Handle } from './client.ts';

/** A column with a time, read as text (see `toIsoDate`). */
export const instant = (name: string) => timestamp(name, { withTimezone: true, mode: 'string' });

/** The column with the time at which a row was written. */
export const createdAt = () => instant('created_at').notNull().defaultNow();

/** The columns for leasing and retrying the rows of a queue (`jobs/leases.ts`). */
export const leaseColumns = () => ({
  /** The number of failed attempts, and when the next one may begin. */
  attempts: integer().notNull().default(0),
  nextAttemptAt: instant('next_attempt_at').notNull().defaultNow(),
  /** The id of the running attempt, and when its lease expires. */
  lease: uuid(),
  leasedUntil: instant('leased_until'),
});

/** The columns of a queue of messages. */
export const messageQueueColumns = () => ({
  ...leaseColumns(),
  lastError: text('last_error'),
  /** When the message was given up. */
  failedAt: instant('failed_at'),
  createdAt: createdAt(),
});

/** The builder's columns as SQL text for a `select` or `returning`, each under its property name. */
export function columnList(columns: Readonly<Record<string, PgColumn>>): string {
  return Object.entries(columns)
    .map(([name, column]) => `${getTableName(column.table)}.${column.name} as "${name}"`)
    .join(', ');
}

/**
 * Values as the text of an array, since the driver does not load array types (`fetch_types` in `client.ts`). They must be numbers,
 * ids or hashes, without characters that are special there.
 */
export function arrayText(values: readonly (string | number)[]): string {
  return `{${values.join()}}`;
}

/** Whether a column has one of these values, as in `arrayText`; the SQL text is the same for any number of them. */
export function isOneOf(column: PgColumn, values: readonly (string | number)[]): SQL {
  return sql`${column} = any(${arrayText(values)}::${sql.raw(column.getSQLType())}[])`;
}

/** Comma-separated literals for a CHECK, which takes no parameters. */
export function literals(...values: readonly (number | string)[]): SQL {
  return sql.raw(values.map((value) => (typeof value === 'number' ? value : `'${value}'`)).join(', '));
}

/** Builds a frequent query only once for each `orm`, since building it takes longer than sending it. */
export function memoizedQuery<Query>(build: (orm: Handle['orm']) => Query): (handle: Handle) => Query {
  const queries = new WeakMap<Handle['orm'], Query>();
  return ({ orm }) => {
    const query = queries.get(orm) ?? build(orm);
    queries.set(orm, query);
    return query;
  };
}
