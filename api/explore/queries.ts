import { and, desc, eq, gt, lt, sql } from 'drizzle-orm';
import type { Handle } from '#api/db/client.ts';
import { arrayText, isOneOf } from '#api/db/columns.ts';
import { deckPart, polls } from '#api/db/schema/polls.ts';
import { votes } from '#api/db/schema/votes.ts';
import type { UserRow } from '#api/http/session/session-user.ts';
import { isShownTo } from '#api/reports/queries.ts';
import type { DeckOrder } from './deck-order.ts';

/** A deck from its part at `partIndex` on, and within that part after the hash `hash`; null stands for the part's beginning. */
type DeckPlace = DeckOrder & { partIndex: number; hash: bigint | null };

const votesCount = sql<number>`(${polls.votes1} + ${polls.votes2})`;

/**
 * The open polls of a deck that `viewer` can vote on, in the order of the deck. Each has the hash of its id and the `partIndex` of
 * its part. Parts are read one by one until there are enough polls. The viewer's votes are looked up poll by poll, since a user
 * may have cast any number of them.
 */
export function listDeck(handle: Handle, viewer: UserRow, place: DeckPlace, limit: number) {
  const { orm } = handle;
  const numbers = arrayText(place.parts.slice(place.partIndex));
  const parts = sql`unnest(${numbers}::int[]) with ordinality as part(number, turn)`;
  const hash = sql<bigint>`uuid_hash_extended(${polls.id}, ${String(place.seed)}::bigint)`;
  const ownVote = orm
    .select({ pollId: votes.pollId })
    .from(votes)
    .where(and(eq(votes.pollId, polls.id), eq(votes.userId, viewer.id)));
  const candidates = orm
    .select({ id: polls.id, hash: hash.as('hash') })
    .from(polls)
    .where(
      and(
        sql`${deckPart(polls.id)} = part.number`,
        polls.active,
        gt(polls.closesAt, sql`now()`),
        lt(votesCount, polls.responsesWanted),
        sql`${polls.userId} is distinct from ${viewer.id}`,
        place.hash === null ? undefined : sql`(part.turn > 1 or ${hash} > ${String(place.hash)}::bigint)`,
        viewer.hidesPolls ? isShownTo(handle, viewer.id) : undefined,
        // Not `not exists`: an anti-join would be planned for a user with few votes, and be slow for one with many.
        sql`(${ownVote}) is null`,
      ),
    )
    .orderBy(hash)
    .limit(limit)
    .as('candidates');
  return orm
    .select({
      id: candidates.id,
      // Not named `hash`: the rows would be sorted by this text.
      hash: sql<string>`${candidates.hash}::text`.as('hash_text'),
      partIndex: sql<number>`(${place.partIndex} + part.turn - 1)::int`,
    })
    .from(parts)
    .crossJoinLateral(candidates)
    .orderBy(sql`part.turn`, candidates.hash)
    .limit(limit);
}

/** A poll that a search has found. `value`: what it is sorted by, as the database writes it. */
export type FoundPoll = { id: string; value: string };

/** The polls with these ids that exist, those with the most votes first. */
export function sortByVotes({ orm }: Handle, ids: readonly string[]): Promise<FoundPoll[]> {
  return orm
    .select({ id: polls.id, value: sql<string>`${votesCount}::text` })
    .from(polls)
    .where(isOneOf(polls.id, ids))
    .orderBy(desc(votesCount), desc(polls.id));
}

/** Those of `ids` whose polls this user has not reported, and whose makers they have not blocked. */
export async function findShown(
  handle: Handle,
  userId: number,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await handle.orm
    .select({ id: polls.id })
    .from(polls)
    .where(and(isOneOf(polls.id, ids), isShownTo(handle, userId)));
  return new Set(rows.map(({ id }) => id));
}
