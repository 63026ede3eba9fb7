import type * as z from 'zod/mini';
import type { Deps } from '#api/deps.ts';
import type { UserRow } from '#api/http/session/session-user.ts';
import { toPoll } from '#api/polls/poll-view.ts';
import { readPolls } from '#api/polls/queries.ts';
import type { DeckPage, deckQuerySchema } from '#shared/explore/schema.ts';
import { deckOrder, decodeCursor, encodeCursor, utcDay } from './deck-order.ts';
import { listDeck } from './queries.ts';

/**
 * A page of the open polls that `viewer` may vote on and has not voted on, in the deck's order for the cursor's day or, without
 * a cursor, for the day (UTC) of `nowMs`. Votes and new polls between the reads of two pages do not move other polls. Throws
 * `invalid_input` for an invalid cursor.
 */
export async function readDeck(
  { db, shareLinks }: Pick<Deps, 'db' | 'shareLinks'>,
  viewer: UserRow,
  { limit, cursor }: z.output<typeof deckQuerySchema>,
  nowMs = Date.now(),
): Promise<DeckPage> {
  const after = cursor === undefined ? null : decodeCursor(cursor);
  const day = after?.day ?? utcDay(nowMs);
  const { partIndex = 0, hash = null } = after ?? {};
  const polls = await listDeck(db, viewer, { ...deckOrder(viewer.id, day), partIndex, hash }, limit + 1);
  const page = polls.slice(0, limit);
  const ids = page.map(({ id }) => id);
  const rows = await readPolls(db, ids);
  const last = page.at(-1);
  const hasMore = polls.length > limit && last !== undefined;
  return {
    data: rows.map((row) => toPoll(shareLinks, row, viewer, null, nowMs)),
    nextCursor: hasMore ? encodeCursor({ day, partIndex: last.partIndex, hash: BigInt(last.hash) }) : null,
  };
}
