import { invalidCursor } from '#api/polls/feed-cursor.ts';

/** The position after an entry of a user's ledger, with the balance before that entry. */
export type ActivityCursor = { id: number; balance: number };

const PATTERN = /^(\d{1,15})\|(-?\d{1,15})$/;

/** Encodes a cursor as base64url, opaque to clients. */
export function encodeCursor({ id, balance }: ActivityCursor): string {
  return Buffer.from(`${id}|${balance}`).toString('base64url');
}

/** Decodes the result of `encodeCursor`. Throws `invalid_input` for any other text. */
export function decodeCursor(text: string): ActivityCursor {
  const match = PATTERN.exec(Buffer.from(text, 'base64url').toString('utf8'));
  if (match !== null) return { id: Number(match[1]), balance: Number(match[2]) };
  throw invalidCursor();
}
