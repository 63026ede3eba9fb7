import { type SQL, sql } from 'drizzle-orm';

const IN_UTC = /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d)(?:\.(\d+))?\+00(?::00)?$/;

/** The time `days` ago, by the database's clock. */
export function daysAgo(days: number): SQL {
  return sql`now() - make_interval(days => ${days})`;
}

/** The time `days` from now, by the database's clock. */
export function inDays(days: number): SQL {
  return sql`now() + make_interval(days => ${days})`;
}

/**
 * Converts a timestamp of the database (`2026-01-31 12:00:00.123456+00`) to ISO 8601 UTC with milliseconds
 * (`2026-01-31T12:00:00.123Z`).
 */
export function toIsoDate(timestamp: string): string {
  // The usual case, which occurs several times for each poll of a response. Parsing a date would take much longer.
  const [, date, time, fraction = ''] = IN_UTC.exec(timestamp) ?? [];
  if (date !== undefined) return `${date}T${time}.${fraction.slice(0, 3).padEnd(3, '0')}Z`;
  const withMinutes = timestamp.replace(' ', 'T').replace(/([+-]\d\d)$/, '$1:00');
  return new Date(withMinutes).toISOString();
}
