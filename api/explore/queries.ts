import { and, eq, gt, lt, notExists, type SQL, sql } from 'drizzle-orm';
import type { Handle } from '#api/db/client.ts';
import { isOneOf } from '#api/db/columns.ts';
import { deckPart, polls } from '#api/db/schema/polls.ts';
import { votes } from '#api/db/schema/votes.ts';
import type { UserRow } from '#api/http/session/session-user.ts';
import { makers, type PollRow, pollFields } from '#api/polls/poll-view.ts';
import { selectPolls } from '#api/polls/queries.ts';
import { isShownTo } from '#api/reports/queries.ts';
import type { SearchSort } from '#shared/explore/constants.ts';

/** Some parts of the deck, of which the first one is the `nth` of all, there after the hash `hash`. */
type DeckPlace = { seed: bigint; parts: readonly number[]; nth: number; hash: bigint | null };

const votesCount = sql<number>`(${polls.votes1} + ${polls.votes2})`;

/** The condition for what this viewer has not hidden; none for whoever has never hidden anything. */
function isShown(handle: Handle, viewer: UserRow): SQL | undefined {
  return viewer.hidesPolls ? isShownTo(handle, viewer.id) : undefined;
}

/** The open polls of these parts that `viewer` can vote on, in the order of the deck. `hash` is that of the poll's id. */
export function listDeck(handle: Handle, viewer: UserRow, place: DeckPlace, limit: number) {
  const { orm } = handle;
  // Which part comes when, beside its number.
  const parts = sql`unnest(${`{${place.parts.join()}}`}::int[]) with ordinality as part(number, turn)`;
  const turn = sql`part.turn`;
  const hash = sql<string>`uuid_hash_extended(${polls.id}, ${String(place.seed)}::bigint)`;
  const ownVote = orm
    .select({ id: votes.id })
    .from(votes)
    .where(and(eq(votes.pollId, polls.id), eq(votes.userId, viewer.id)));
  return orm
    .select({
      id: polls.id,
      hash: sql<string>`${hash}::text`,
      nth: sql<number>`(${place.nth} + ${turn} - 1)::int`,
    })
    .from(parts)
    .innerJoin(polls, sql`${deckPart(polls.id)} = part.number`)
    .where(
      and(
        polls.active,
        gt(polls.closesAt, sql`now()`),
        lt(votesCount, polls.responsesWanted),
        sql`${polls.userId} is distinct from ${viewer.id}`,
        notExists(ownVote),
        isShown(handle, viewer),
        place.hash === null ? undefined : sql`(${turn} > 1 or ${hash} > ${String(place.hash)}::bigint)`,
      ),
    )
    .orderBy(turn, hash)
    .limit(limit);
}

/** Those of these polls that are there, in the order of their ids here. */
export async function listPolls(handle: Handle, ids: readonly string[]): Promise<PollRow[]> {
  const rows = await selectPolls(handle).where(isOneOf(polls.id, ids));
  const byId = new Map(rows.map((row) => [row.id, row]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}

/** How a search sorts polls; `type` is that of `value` in SQL. */
const SORTS = {
  newest: { value: sql`${polls.createdAt}`, type: sql`timestamptz`, isRising: false },
  votes: { value: votesCount, type: sql`int`, isRising: false },
  ending: { value: sql`${polls.closesAt}`, type: sql`timestamptz`, isRising: true },
} as const satisfies Record<SearchSort, { value: SQL; type: SQL; isRising: boolean }>;

/** The position after a poll in what a search has found. `value`: what is sorted by, as text. */
export type FoundPlace = { value: string; id: string };

/** Those of these polls that `viewer` sees in the feed, after `after`. `total`: how many there are on from there. */
export function listFound(
  handle: Handle,
  viewer: UserRow,
  found: { ids: readonly string[]; sort: SearchSort; after: FoundPlace | null },
  limit: number,
) {
  const { value, type, isRising } = SORTS[found.sort];
  const { after } = found;
  const direction = isRising ? sql`asc` : sql`desc`;
  const isAfter =
    after === null
      ? undefined
      : sql`(${value}, ${polls.id}) ${isRising ? sql`>` : sql`<`} (${after.value}::${type}, ${after.id}::uuid)`;
  return handle.orm
    .select({
      ...pollFields,
      total: sql<number>`(count(*) over ())::int`,
      place: sql<string>`${value}::text`,
    })
    .from(polls)
    .leftJoin(makers, eq(makers.id, polls.userId))
    .where(and(isOneOf(polls.id, found.ids), polls.active, isAfter, isShown(handle, viewer)))
    .orderBy(sql`${value} ${direction}`, sql`${polls.id} ${direction}`)
    .limit(limit);
}
