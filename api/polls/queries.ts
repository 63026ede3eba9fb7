import { and, count, desc, eq, gt, lt, not, type SQL, sql } from 'drizzle-orm';
import type { Handle } from '#api/db/client.ts';
import { isOneOf, memoizedQuery } from '#api/db/columns.ts';
import { pointEntries } from '#api/db/schema/point-entries.ts';
import { polls, pollTotals } from '#api/db/schema/polls.ts';
import { pollReports, userBlocks } from '#api/db/schema/reports.ts';
import { votes } from '#api/db/schema/votes.ts';
import { daysAgo, inDays } from '#api/db/timestamps.ts';
import { isShownTo } from '#api/reports/queries.ts';
import type { CreatePollFields, Option } from '#shared/polls/schema.ts';
import type { FeedCursor } from './feed-cursor.ts';
import { makers, type PollRow, pollFields } from './poll-view.ts';

/**
 * Trending considers this many of the newest polls that are not expired, deactivated, hidden or removed; completed ones among
 * them are left out.
 */
const TRENDING_WINDOW = 5_000;

/** With `nulls last`, as in the indexes; otherwise PostgreSQL does not use them. */
const NEWEST_FIRST = [sql`${polls.createdAt} desc nulls last`, sql`${polls.id} desc nulls last`];

/** Selects `PollRow`s; the caller adds the condition. */
function selectPolls({ orm }: Pick<Handle, 'orm'>) {
  return orm.select(pollFields).from(polls).leftJoin(makers, eq(makers.id, polls.userId));
}

/** The polls with these ids that exist, in the order of `ids`. */
export async function readPolls(handle: Handle, ids: readonly string[]): Promise<PollRow[]> {
  const rows = await selectPolls(handle).where(isOneOf(polls.id, ids));
  const byId = new Map(rows.map((row) => [row.id, row]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}

const pollsOfMaker = memoizedQuery((orm) =>
  selectPolls({ orm })
    .where(eq(polls.userId, sql.placeholder('userId')))
    .orderBy(...NEWEST_FIRST)
    .prepare('polls of a maker'),
);

/** The polls of a maker, newest first. */
export async function listPollsOf(handle: Handle, userId: number): Promise<PollRow[]> {
  return pollsOfMaker(handle).execute({ userId });
}

/**
 * Up to `limit` polls of a feed, after `cursor` or from `offset`. `viewerId` is that of a viewer who has reported polls or blocked
 * users; null for the feed that all others share.
 */
export type FeedPart = { limit: number; offset: number; cursor: FeedCursor | null; viewerId: number | null };

/**
 * The condition that omits polls that a viewer has reported or whose makers they have blocked; undefined if `viewerId` is null.
 */
export function onlyShownTo(handle: Handle, viewerId: number | null) {
  return viewerId === null ? undefined : isShownTo(handle, viewerId);
}

/** Before every poll of the feed. */
const FEED_START: FeedCursor = { createdAt: 'infinity', id: 'ffffffff-ffff-ffff-ffff-ffffffffffff' };

function prepareFeed(orm: Handle['orm'], isShown?: SQL) {
  const { placeholder } = sql;
  const isAfter = sql`
    (${polls.createdAt}, ${polls.id}) < (${placeholder('createdAt')}::timestamptz, ${placeholder('id')}::uuid)`;
  return selectPolls({ orm })
    .where(and(polls.active, isAfter, isShown))
    .orderBy(...NEWEST_FIRST)
    .limit(placeholder('limit'))
    .offset(placeholder('offset'))
    .prepare('feed');
}

const sharedFeed = memoizedQuery((orm) => prepareFeed(orm));
const feedOfViewer = memoizedQuery((orm) =>
  prepareFeed(orm, isShownTo({ orm }, sql.placeholder('viewerId'))),
);

/** Active polls, newest first. */
export async function listFeed(handle: Handle, { cursor, ...part }: FeedPart): Promise<PollRow[]> {
  const query = part.viewerId === null ? sharedFeed : feedOfViewer;
  return query(handle).execute({ ...part, ...(cursor ?? FEED_START) });
}

/** Both images of up to `limit` polls, ordered by id, after the poll with the id `after` (null: from the first poll). */
export function listImages({ orm }: Handle, after: string | null, limit: number) {
  return orm
    .select({ id: polls.id, image1: polls.option1Image, image2: polls.option2Image })
    .from(polls)
    .where(after === null ? undefined : gt(polls.id, after))
    .orderBy(polls.id)
    .limit(limit);
}

/** The numbers of active and of all polls. */
export async function countPolls({ orm }: Handle): Promise<{ active: number; total: number }> {
  const [counts] = await orm.select({ active: pollTotals.active, total: pollTotals.total }).from(pollTotals);
  return counts ?? { active: 0, total: 0 };
}

/**
 * The ids of the active polls that a viewer has reported or whose makers they have blocked, each once, without reading the
 * others.
 */
export function selectHidden({ orm }: Handle, viewerId: number) {
  const reported = orm
    .select({ id: polls.id })
    .from(pollReports)
    .innerJoin(polls, eq(polls.id, pollReports.pollId))
    .where(and(eq(pollReports.userId, viewerId), not(pollReports.isTakenBack), polls.active));
  const ofBlocked = orm
    .select({ id: polls.id })
    .from(userBlocks)
    .innerJoin(polls, eq(polls.userId, userBlocks.blockedId))
    .where(and(eq(userBlocks.userId, viewerId), polls.active));
  return reported.union(ofBlocked);
}

/** The number of active polls that this viewer does not see. */
export async function countHidden(handle: Handle, viewerId: number): Promise<number> {
  const [row] = await handle.orm
    .select({ hidden: count() })
    .from(selectHidden(handle, viewerId).as('hidden_polls'));
  return row?.hidden ?? 0;
}

/** The open polls with the most votes; with equally many, the newer ones first. */
export async function listTrending(
  handle: Handle,
  limit: number,
  viewerId: number | null,
): Promise<PollRow[]> {
  const { orm } = handle;
  // Named like the table, so that `pollFields` refers to it.
  const newest = orm
    .select()
    .from(polls)
    .where(and(polls.active, gt(polls.closesAt, sql`now()`), onlyShownTo(handle, viewerId)))
    .orderBy(...NEWEST_FIRST)
    .limit(TRENDING_WINDOW)
    .as('polls');
  const votesCount = sql`${polls.votes1} + ${polls.votes2}`;
  return orm
    .select(pollFields)
    .from(newest)
    .leftJoin(makers, eq(makers.id, polls.userId))
    .where(lt(votesCount, polls.responsesWanted))
    .orderBy(desc(votesCount), desc(polls.createdAt), desc(polls.id))
    .limit(limit);
}

/** The number of votes of the last 24 hours, by poll id. Polls without recent votes are omitted. */
export async function countRecentVotes(
  { orm }: Handle,
  pollIds: readonly string[],
): Promise<Map<string, number>> {
  if (pollIds.length === 0) return new Map();
  const rows = await orm
    .select({ pollId: votes.pollId, count: count() })
    .from(votes)
    .where(and(isOneOf(votes.pollId, pollIds), gt(votes.createdAt, daysAgo(1))))
    .groupBy(votes.pollId);
  return new Map(rows.map((row) => [row.pollId, row.count]));
}

type PollImage = { path: string; preview: string; width: number; height: number };

export type NewPoll = Omit<CreatePollFields, 'id'> & {
  id: string;
  userId: number;
  images: readonly PollImage[];
  isSample?: boolean;
  isFree?: boolean;
};

/** Stores polls that open now, except those whose id exists already. Returns the number of polls stored. */
export async function insertPolls({ orm }: Handle, newPolls: readonly NewPoll[]): Promise<number> {
  const rows = newPolls.map(({ duration, images: [image1, image2], ...poll }) => {
    if (image1 === undefined || image2 === undefined) throw new Error('A poll has two images.');
    return {
      ...poll,
      option1Image: image1.path,
      option2Image: image2.path,
      option1Preview: image1.preview,
      option2Preview: image2.preview,
      option1Width: image1.width,
      option1Height: image1.height,
      option2Width: image2.width,
      option2Height: image2.height,
      durationDays: duration,
      closesAt: inDays(duration),
    };
  });
  const stored = await orm.insert(polls).values(rows).onConflictDoNothing({ target: polls.id });
  return stored.count;
}

/** Whether the ledger has this user's payment for a poll of this id, even after the poll was deleted. */
export async function hasPaidFor({ orm }: Handle, userId: number, pollId: string): Promise<boolean> {
  const rows = await orm
    .select({ id: pointEntries.id })
    .from(pointEntries)
    .where(and(eq(pointEntries.userId, userId), eq(pointEntries.source, `poll:${pollId}`)));
  return rows.length > 0;
}

/**
 * The state of a poll id for a user: `made` by them (the poll exists and is theirs, or they paid for it and it was deleted),
 * `taken` by somebody else, or `free`.
 */
export async function readIdState(
  { sql }: Handle,
  userId: number,
  pollId: string,
): Promise<'made' | 'taken' | 'free'> {
  // One statement, which the builder cannot express: between two statements the poll could be created or deleted.
  const [{ state }] = await sql<[{ state: 'made' | 'taken' | 'free' }]>`
    select case
      when polls.user_id = ${userId} then 'made'
      when polls.id is not null then 'taken'
      when exists (
        select from point_entries where user_id = ${userId} and source = 'poll:' || ${pollId}::uuid
      ) then 'made'
      else 'free'
    end as state
    from (values (1)) one left join polls on polls.id = ${pollId}`;
  return state;
}

/**
 * Whether this vote was already counted: it exists, or it has earned its point and its poll was deleted (its option is unknown in
 * that case).
 */
export async function isVoteCast(
  { sql }: Handle,
  { userId, pollId, option }: { userId: number; pollId: string; option: Option },
): Promise<boolean> {
  // One statement, for the same reason as in `readIdState`.
  const rows = await sql`
    select from votes where poll_id = ${pollId} and user_id = ${userId} and option = ${option}
    union all
    select from point_entries
    where user_id = ${userId} and source = 'vote:' || ${pollId}::uuid
      and not exists (select from polls where id = ${pollId})`;
  return rows.count > 0;
}
