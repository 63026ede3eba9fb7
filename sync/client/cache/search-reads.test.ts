import { beforeEach, expect, test } from 'vitest';
import type { SearchPage } from '#shared/explore/schema.ts';
import type { Poll } from '#shared/polls/schema.ts';
import type { UserDb } from '#sync/client/db.ts';
import { observable } from '#sync/client/observable.ts';
import { queueOp } from '#sync/client/outbox/outbox.ts';
import type { Session } from '#sync/client/session/session-context.ts';
import { fakeBrowser } from '#sync/testing/fake-browser.ts';
import { fakeClock } from '#sync/testing/fake-clock.ts';
import {
  errorResponse,
  json,
  noResponse,
  type Reply,
  scriptedTransport,
} from '#sync/testing/fake-transport.ts';
import { queueVote } from '#sync/testing/queue-vote.ts';
import { POLL_ID, samplePoll, sampleUser } from '#sync/testing/samples.ts';
import { freshUserDb } from '#sync/testing/user-db.ts';
import { putPolls } from './cache.ts';
import type { SearchQuery } from './pull.ts';
import { createPuller } from './puller.ts';
import { readSearchResults } from './search-reads.ts';

const NOW_MS = Date.parse('2023-11-15T00:00:00Z');
const QUERY: SearchQuery = { q: 'tea & cake', sort: 'votes', cursor: null };
let db: UserDb;
let userId: number;

beforeEach(async () => {
  ({ db, userId } = await freshUserDb());
});

const results = (changes: Partial<Poll> = {}) => ['a', 'b', 'c'].map((id) => samplePoll({ id, ...changes }));
const shownIds = async () => (await readSearchResults(db, results(), NOW_MS)).map(({ poll }) => poll.id);

function searcher(...replies: Reply[]) {
  const { transport, sent } = scriptedTransport(...replies);
  const user = sampleUser({ id: userId });
  const session = observable<Session>({ status: 'user', user, db, needsLogin: false });
  const context = { ...fakeBrowser, transport, clock: fakeClock(), session };
  const { search } = createPuller({ ...context, onLoggedOut: async () => {} });
  return { search, paths: () => sent.map(({ path }) => path) };
}

test('a search returns a page of results and caches its polls', async () => {
  const page: SearchPage = { data: [samplePoll()], nextCursor: 'c1', total: 7 };
  const { search, paths } = searcher(json(200, page));
  expect(await search(QUERY)).toEqual(page);
  expect(paths()).toEqual(['/api/search?q=tea+%26+cake&sort=votes']);
  expect(await db.polls.toCollection().primaryKeys()).toEqual([POLL_ID]);
});

test('concurrent searches each return their own page', async () => {
  const page: SearchPage = { data: [samplePoll()], nextCursor: 'c1' };
  const nextPage: SearchPage = { data: [], nextCursor: null };
  const { search } = searcher(json(200, page), json(200, nextPage));
  expect(await Promise.all([search(QUERY), search({ ...QUERY, cursor: 'c1' })])).toEqual([page, nextPage]);
});

test.each<[string, string, Reply]>([
  ['no response', 'unreachable', noResponse],
  ['an error', 'failed', errorResponse('internal')],
  ['a 429', 'failed', errorResponse('rate_limited')],
  ['a response that cannot be read', 'failed', json(200, { data: 'x' })],
])('a search that receives %s returns `%s`', async (_case, result, reply) => {
  expect(await searcher(reply).search(QUERY)).toBe(result);
});

test('search results show the newest cached revision and waiting votes', async () => {
  await putPolls(db, [samplePoll({ id: 'a', rev: 9, votesCount: 8 })]);
  await queueVote(db, { userId, pollId: 'b', option: 2 }, NOW_MS);
  const views = await readSearchResults(db, results({ rev: 5, votesCount: 3 }), NOW_MS);
  expect(views.map(({ poll, vote }) => [poll.id, poll.votesCount, vote])).toEqual([
    ['a', 8, null],
    ['b', 3, 2],
    ['c', 3, null],
  ]);
});

test('search results omit a poll as soon as a report of it is queued', async () => {
  expect(await shownIds()).toEqual(['a', 'b', 'c']);
  await queueOp(
    db,
    userId,
    { type: 'report', payload: { pollId: 'b', reason: 'spam', text: undefined } },
    NOW_MS,
  );
  expect(await shownIds()).toEqual(['a', 'c']);
});
