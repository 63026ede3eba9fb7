import { AppError } from '#api/errors.ts';
import { pollIdSchema } from '#shared/http.ts';

/** The position after a poll of the feed. `createdAt` is the database's text, with microseconds. */
export type FeedCursor = { createdAt: string; id: string };

const TIMESTAMP_PATTERN = /^[12]\d{3}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d{1,6})?\+00$/;

/** Encodes a cursor; opaque to clients. */
export function encodeCursor(place: FeedCursor): string {
  return Buffer.from(`${place.createdAt}|${place.id}`).toString('base64url');
}

/** Decodes the result of `encodeCursor`. Throws `invalid_input` unless it contains a valid time and id. */
export function decodeCursor(text: string): FeedCursor {
  const [createdAt = '', id = ''] = Buffer.from(text, 'base64url').toString('utf8').split('|');
  if (isTimestamp(createdAt) && pollIdSchema.safeParse(id).success) return { createdAt, id };
  throw invalidCursor();
}

export function invalidCursor(): AppError {
  const message = 'This cursor is not valid';
  return new AppError('invalid_input', { message, issues: [{ path: 'cursor', message }] });
}

/** Whether this is the text of a timestamp as the database writes it, in UTC. */
export function isTimestamp(text: string): boolean {
  if (!TIMESTAMP_PATTERN.test(text)) return false;
  const seconds = text.slice(0, 19).replace(' ', 'T');
  const parsed = new Date(`${seconds}Z`);
  // The parser turns 30 February into another date.
  return !Number.isNaN(parsed.getTime()) && parsed.toISOString().startsWith(seconds);
}
