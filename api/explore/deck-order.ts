import { createHash } from 'node:crypto';
import { invalidCursor } from '#api/polls/feed-cursor.ts';
import { DAY_MS } from '#shared/time.ts';

/** The number of parts into which the polls of the deck are divided (see `deckPart`). */
const DECK_PARTS = 256;

const SEED_BYTES = 8;
const SORT_KEY_BYTES = 2;

/**
 * The order of the deck for a user and a day: `parts` one after another, and in each part the polls by a hash of their id with
 * `seed`.
 */
export type DeckOrder = { seed: bigint; parts: readonly number[] };

/** The order for a user and a day (see `utcDay`). It depends on nothing else. */
export function deckOrder(userId: number, day: number): DeckOrder {
  const outputLength = SEED_BYTES + DECK_PARTS * SORT_KEY_BYTES;
  const random = createHash('shake256', { outputLength }).update(`${userId} ${day}`).digest();
  const sortKeyOf = (part: number) => random.readUInt16BE(SEED_BYTES + part * SORT_KEY_BYTES);
  const parts = Array.from({ length: DECK_PARTS }, (_, part) => part);
  return { seed: random.readBigInt64BE(), parts: parts.sort((one, two) => sortKeyOf(one) - sortKeyOf(two)) };
}

/** The number of the day in UTC at `nowMs` (milliseconds since 1970). */
export function utcDay(nowMs: number): number {
  return Math.floor(nowMs / DAY_MS);
}

/** The position after a poll of the deck of `day`: the hash of the poll's id, and the zero-based index of its part. */
type DeckCursor = { day: number; partIndex: number; hash: bigint };

const CURSOR_PATTERN = /^(\d{1,6})\|(\d{1,3})\|(-?\d{1,19})$/;

/** Encodes a cursor; opaque to clients. */
export function encodeCursor({ day, partIndex, hash }: DeckCursor): string {
  return Buffer.from(`${day}|${partIndex}|${hash}`).toString('base64url');
}

/** Decodes the result of `encodeCursor`. Throws `invalid_input` for any other text. */
export function decodeCursor(text: string): DeckCursor {
  const match = CURSOR_PATTERN.exec(Buffer.from(text, 'base64url').toString('utf8'));
  const cursor = { day: Number(match?.[1]), partIndex: Number(match?.[2]), hash: BigInt(match?.[3] ?? 0) };
  if (match !== null && cursor.partIndex < DECK_PARTS && cursor.hash === BigInt.asIntN(64, cursor.hash))
    return cursor;
  throw invalidCursor();
}
