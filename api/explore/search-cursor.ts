import { invalidCursor, isTimestamp } from '#api/polls/feed-cursor.ts';
import type { SearchSort } from '#shared/explore/constants.ts';
import { pollIdSchema } from '#shared/http.ts';
import type { FoundPoll } from './queries.ts';

/** Encodes a cursor; opaque to clients. */
export function encodeCursor(sort: SearchSort, { value, id }: FoundPoll): string {
  return Buffer.from(`${sort}|${value}|${id}`).toString('base64url');
}

/**
 * Decodes the result of `encodeCursor` for the same order. Throws `invalid_input` unless it contains this order, a valid value
 * and an id.
 */
export function decodeCursor(text: string, sort: SearchSort): FoundPoll {
  const [cursorSort, value = '', id = ''] = Buffer.from(text, 'base64url').toString('utf8').split('|');
  const isValue = sort === 'votes' ? /^\d{1,9}$/.test(value) : isTimestamp(value);
  if (cursorSort === sort && isValue && pollIdSchema.safeParse(id).success) return { value, id };
  throw invalidCursor();
}

/**
 * Whether `poll` comes after `cursor` in the order `sort`. Timestamps as the database writes them, without trailing zeros in the
 * fraction, sort as text: `+`, which ends the fraction or stands in its place, comes before `.` and before digits.
 */
export function isAfter(poll: FoundPoll, cursor: FoundPoll, sort: SearchSort): boolean {
  const isAscending = sort === 'ending';
  if (poll.value === cursor.value) return isAscending ? poll.id > cursor.id : poll.id < cursor.id;
  const isGreater = sort === 'votes' ? Number(poll.value) > Number(cursor.value) : poll.value > cursor.value;
  return isGreater === isAscending;
}
