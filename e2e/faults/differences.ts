import { DECK_PAGE_SIZE_MAX } from '#shared/explore/constants.ts';
import { readDeck } from '#shared/explore/contract.ts';
import type { DeckPage } from '#shared/explore/schema.ts';
import { FEED_PAGE_SIZE, TRENDING_COUNT, TRENDING_MIN_VOTES } from '#shared/polls/constants.ts';
import type { FeedPage, Poll } from '#shared/polls/schema.ts';
import { withQuery } from '#shared/query.ts';
import type { Device } from './device.ts';
import type { World } from './world.ts';

/** The lists that the server shows a user. */
export type ServerLists = { feed: Poll[]; mine: Poll[]; trending: Poll[]; deck: DeckPage };

/** Reads the lists of a device's user directly from the server, without the proxy. */
export async function readFromServer({ test }: World, { session }: Device): Promise<ServerLists> {
  const headers = { Cookie: session?.cookie ?? '', 'Sec-Fetch-Site': 'same-origin' };
  async function read<Body>(path: string): Promise<Body> {
    const response = await test.app.request(test.deps.env.publicUrl + path, { headers });
    if (!response.ok) throw new Error(`The response to ${path} is ${response.status}.`);
    return response.json();
  }
  const trendingQuery = { limit: TRENDING_COUNT, metrics: true, minVotes: TRENDING_MIN_VOTES };
  const [{ data: feed }, mine, trending, deck] = await Promise.all([
    read<FeedPage>(withQuery('/api/questions', { limit: FEED_PAGE_SIZE, offset: 0 })),
    read<Poll[]>('/api/user/questions'),
    read<Poll[]>(withQuery('/api/trending', trendingQuery)),
    read<DeckPage>(withQuery(readDeck.path, { limit: DECK_PAGE_SIZE_MAX })),
  ]);
  return { feed, mine, trending, deck };
}

/** The fields of a poll that can change, or that identify it. */
function summary({ rev, votesCount, active, status, votes, results, question, option1Image }: Poll): string {
  // Earlier releases do not know the other fields of a vote.
  const options = votes.map(({ option }) => option);
  return JSON.stringify({ rev, votesCount, active, status, options, results, question, option1Image });
}

/**
 * Describes differences between the server and what a device shows one of its users, who has to be logged in, with all ops
 * sent and all lists pulled.
 */
export async function findDifferences(
  { test: { db } }: World,
  device: Device,
  userId: number,
  serverLists: ServerLists,
): Promise<string[]> {
  const differences: string[] = [];
  const stored = await device.withDb(userId, async (local) => ({
    feed: (await local.feed.orderBy('position').toArray()).map(({ pollId }) => pollId),
    mine: (await local.mine.orderBy('position').toArray()).map(({ pollId }) => pollId),
    trending: (await local.trending.orderBy('position').toArray()).map(({ pollId }) => pollId),
    polls: new Map((await local.polls.toArray()).map((poll) => [poll.id, poll])),
    user: await local.user.get(userId),
  }));

  const [user] = await db.sql<[{ points: number; rev: number }]>`
    select points, rev from users where id = ${userId}`;
  if (stored.user?.points !== user.points)
    differences.push(`${stored.user?.points} points instead of ${user.points}`);
  if (stored.user?.rev !== user.rev)
    differences.push(`the user has rev ${stored.user?.rev} instead of ${user.rev}`);

  const active = await db.sql<{ id: string; votes1: number; votes2: number; option: 1 | 2 | null }[]>`
    select polls.id, votes1, votes2, votes.option from polls
    left join votes on votes.poll_id = polls.id and votes.user_id = ${userId}
    where active and not exists (select from poll_reports where poll_id = polls.id and user_id = ${userId} and not is_taken_back)
      and not exists (select from user_blocks where user_id = ${userId} and blocked_id = polls.user_id)
    order by polls.created_at desc nulls last, polls.id desc
    limit ${Math.max(stored.feed.length, FEED_PAGE_SIZE)}`;
  const lists = {
    mine: serverLists.mine.map(({ id }) => id),
    trending: serverLists.trending.map(({ id }) => id),
  };
  for (const [name, ids] of Object.entries({ ...lists, feed: active.map(({ id }) => id) })) {
    const storedIds = stored[name as 'feed' | 'mine' | 'trending'];
    const firstDifference = ids.findIndex((id, index) => storedIds[index] !== id);
    if (firstDifference >= 0 || storedIds.length > ids.length) {
      const index = firstDifference >= 0 ? firstDifference : ids.length;
      differences.push(
        `${name} has ${storedIds.length} polls instead of ${ids.length}; the lists differ from index ${index} on`,
      );
    }
  }
  // Only the order of further polls is read again together with page 1, not their content.
  for (const { id, votes1, votes2, option } of active.slice(0, FEED_PAGE_SIZE)) {
    const poll = stored.polls.get(id);
    if (poll === undefined) differences.push(`${id} is missing`);
    else if (poll.votesCount !== votes1 + votes2) differences.push(`${id}: different counts`);
    else if ((poll.votes[0]?.option ?? null) !== option) differences.push(`${id}: different vote`);
  }
  for (const poll of [...serverLists.feed, ...serverLists.mine, ...serverLists.trending]) {
    const cached = stored.polls.get(poll.id);
    const actual = cached === undefined ? 'nothing' : summary(cached);
    if (actual !== summary(poll)) differences.push(`${poll.id} is ${actual} instead of ${summary(poll)}`);
  }
  return differences.map((text) => `${device.name} of ${userId}: ${text}`);
}
