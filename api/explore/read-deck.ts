import type * as z from 'zod/mini';
import type { Deps } from '#api/deps.ts';
import type { UserRow } from '#api/http/session/session-user.ts';
import { toPoll } from '#api/polls/poll-view.ts';
import type { DeckPage, deckQuerySchema } from '#shared/explore/schema.ts';
import { DECK_PARTS, deckOrder, decodeCursor, encodeCursor, utcDay } from './deck-order.ts';
import { listDeck, listPolls } from './queries.ts';

/**
 * So many parts of the deck are read at first, then so many, then the rest: one query is enough where many polls are open, and
 * three where there are few, or where the user has voted on most.
 */
const STEPS = [2, 14, DECK_PARTS] as const;

/**
 * A page of the open polls that `viewer` may vote on and has not voted on, in the order of the day (UTC) at `nowMs`, or of the
 * day in the cursor. Votes and new polls in between move no other poll. Throws `invalid_input` for a cursor of somebody
 * else's making.
 */
export async function readDeck(
  { db, shareLinks }: Pick<Deps, 'db' | 'shareLinks'>,
  viewer: UserRow,
  { limit, cursor }: z.output<typeof deckQuerySchema>,
  nowMs = Date.now(),
): Promise<DeckPage> {
  const after = cursor === undefined ? null : decodeCursor(cursor);
  const day = after?.day ?? utcDay(nowMs);
  const { seed, parts } = deckOrder(viewer.id, day);
  const found: Awaited<ReturnType<typeof listDeck>> = [];
  let nth = after?.nth ?? 0;
  for (const step of STEPS) {
    const left = limit + 1 - found.length;
    if (left === 0 || nth >= DECK_PARTS) break;
    const hash = nth === after?.nth ? after.hash : null;
    found.push(
      ...(await listDeck(db, viewer, { seed, parts: parts.slice(nth, nth + step), nth, hash }, left)),
    );
    nth += step;
  }
  const page = found.slice(0, limit);
  const rows = await listPolls(
    db,
    page.map(({ id }) => id),
  );
  const last = page.at(-1);
  const hasMore = found.length > limit && last !== undefined;
  return {
    data: rows.map((row) => toPoll(shareLinks, row, viewer, null, nowMs)),
    nextCursor: hasMore ? encodeCursor({ day, nth: last.nth, hash: BigInt(last.hash) }) : null,
  };
}
