import type { Handle } from '#api/db/client.ts';
import type { CreatePollFields, Option } from '#shared/polls/schema.ts';
import type { FeedCursor } from './feed-cursor.ts';
import { uuidArray } from './poll-rows.ts';
import { type PollRow, pollColumns } from './poll-view.ts';

/** Trending looks at this many of the newest open polls: what is older is no news. */
const TRENDING_WINDOW = 5_000;

function selectPolls(handle: Handle) {
  return handle.sql`select ${pollColumns(handle)} from polls left join users makers on makers.id = polls.user_id`;
}

/** The polls that a user made, newest first. */
export async function listPollsOf(handle: Handle, userId: number): Promise<PollRow[]> {
  return handle.sql<PollRow[]>`
    ${selectPolls(handle)} where polls.user_id = ${userId}
    order by polls.created_at desc nulls last, polls.id desc nulls last`;
}

/** Active polls, newest first, from the place that `cursor` or `offset` names. */
export async function listFeed(
  handle: Handle,
  place: { limit: number; offset: number; cursor: FeedCursor | null },
): Promise<PollRow[]> {
  const { cursor } = place;
  // `nulls last` as in the index, which is not used otherwise.
  const order = handle.sql`order by polls.created_at desc nulls last, polls.id desc nulls last`;
  if (cursor !== null) {
    return handle.sql<PollRow[]>`
      ${selectPolls(handle)}
      where polls.active and (polls.created_at, polls.id) < (${cursor.createdAt}::timestamptz, ${cursor.id}::uuid)
      ${order} limit ${place.limit}`;
  }
  return handle.sql<PollRow[]>`
    ${selectPolls(handle)} where polls.active ${order} limit ${place.limit} offset ${place.offset}`;
}

/** How many polls are active. */
export async function countActive(handle: Handle): Promise<number> {
  const [row] = await handle.sql<[{ active: number }?]>`select active from poll_totals where id = 1`;
  return row?.active ?? 0;
}

/** The open polls with the most votes, newer ones first among equals. */
export async function listTrending(handle: Handle, limit: number): Promise<PollRow[]> {
  return handle.sql<PollRow[]>`
    select ${pollColumns(handle)} from (
      select * from polls where active and closes_at > now()
      order by created_at desc nulls last, id desc nulls last limit ${TRENDING_WINDOW}
    ) polls left join users makers on makers.id = polls.user_id
    where votes1 + votes2 < responses_wanted
    order by votes1 + votes2 desc, polls.created_at desc, polls.id desc limit ${limit}`;
}

/** How many votes each of these polls got in the last 24 hours, by poll id; polls without any are left out. */
export async function countRecentVotes(
  handle: Handle,
  pollIds: readonly string[],
): Promise<Map<string, number>> {
  if (pollIds.length === 0) return new Map();
  const rows = await handle.sql<{ pollId: string; count: number }[]>`
    select poll_id as "pollId", count(*)::int as count from votes
    where poll_id = any(${uuidArray(pollIds)}::uuid[]) and created_at > now() - interval '24 hours'
    group by poll_id`;
  return new Map(rows.map(({ pollId, count }) => [pollId, count]));
}

type NewPoll = {
  id: string;
  userId: number;
  fields: CreatePollFields;
  images: readonly { path: string; preview: string; width: number; height: number }[];
};

/** Stores a poll that begins now. False, with nothing stored, when there is a poll of this id. */
export async function insertPoll(handle: Handle, { id, userId, fields, images }: NewPoll): Promise<boolean> {
  const [image1, image2] = images;
  if (image1 === undefined || image2 === undefined) throw new Error('A poll has two images.');
  const stored = await handle.sql`
    insert into polls (
      id, user_id, question, option1_caption, option2_caption, option1_image, option2_image, option1_preview,
      option2_preview, option1_width, option1_height, option2_width, option2_height, responses_wanted,
      duration_days, closes_at
    ) values (
      ${id}, ${userId}, ${fields.question}, ${fields.option1Caption}, ${fields.option2Caption}, ${image1.path},
      ${image2.path}, ${image1.preview}, ${image2.preview}, ${image1.width}, ${image1.height}, ${image2.width},
      ${image2.height}, ${fields.responsesWanted}, ${fields.duration}::int,
      now() + make_interval(days => ${fields.duration}::int)
    ) on conflict (id) do nothing`;
  return stored.count === 1;
}

/** Whether this user has ever paid for a poll of this id. */
export async function isPaid(handle: Handle, userId: number, pollId: string): Promise<boolean> {
  const rows = await handle.sql`
    select from point_entries where user_id = ${userId} and source = ${`poll:${pollId}`}`;
  return rows.count > 0;
}

/**
 * What the id of a poll is to a user: `made` by them (it is there and theirs, or they paid for it and it is gone),
 * `taken` by somebody else, or `free`.
 */
export async function readIdState(
  { sql }: Handle,
  userId: number,
  pollId: string,
): Promise<'made' | 'taken' | 'free'> {
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
 * Whether this vote counts already: it is there, or it has earned its point and its poll is gone (then nobody knows
 * any more which option it was for).
 */
export async function isVoteCast(
  { sql }: Handle,
  { userId, pollId, option }: { userId: number; pollId: string; option: Option },
): Promise<boolean> {
  const rows = await sql`
    select from votes where poll_id = ${pollId} and user_id = ${userId} and option = ${option}
    union all
    select from point_entries
    where user_id = ${userId} and source = 'vote:' || ${pollId}::uuid
      and not exists (select from polls where id = ${pollId})`;
  return rows.count > 0;
}
