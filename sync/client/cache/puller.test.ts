import { beforeEach, expect, test, vi } from 'vitest';
import type { DeckPage } from '#shared/explore/schema.ts';
import { FEED_PAGE_SIZE } from '#shared/polls/constants.ts';
import type { Poll } from '#shared/polls/schema.ts';
import { LoggedOutError } from '#sync/client/engine-errors.ts';
import { observable, type WritableObservable } from '#sync/client/observable.ts';
import type { Session } from '#sync/client/session/session-context.ts';
import { fakeBrowser } from '#sync/testing/fake-browser.ts';
import { fakeClock } from '#sync/testing/fake-clock.ts';
import { errorResponse, json, type Reply, scriptedTransport } from '#sync/testing/fake-transport.ts';
import { OTHER_POLL_ID, POLL_ID, samplePoll, sampleUser } from '#sync/testing/samples.ts';
import { freshUserDb } from '#sync/testing/user-db.ts';
import { createPuller } from './puller.ts';

let session: WritableObservable<Session>;
let userId: number;

async function newUserSession(): Promise<Session> {
  const { db, userId } = await freshUserDb();
  return { status: 'user', user: sampleUser({ id: userId }), db, needsLogin: false };
}

beforeEach(async () => {
  const current = await newUserSession();
  session = observable(current);
  userId = current.status === 'user' ? current.user.id : 0;
});

function userSession() {
  const current = session.get();
  if (current.status !== 'user') throw new Error('no user');
  return current;
}

function createTestPuller(...replies: Reply[]) {
  const { transport, sent } = scriptedTransport(...replies);
  const onLoggedOut = vi.fn(async () => {});
  const puller = createPuller({
    transport,
    clock: fakeClock(),
    storage: fakeBrowser.storage,
    session,
    onLoggedOut,
  });
  return { puller, sent, paths: () => sent.map(({ path }) => path.split('?')[0]), onLoggedOut };
}

test('concurrent pulls of a list share a request', async () => {
  const { puller, paths } = createTestPuller(json(200, []));
  expect(await Promise.all([puller.pullMine(), puller.pullMine()])).toEqual(['updated', 'updated']);
  expect(paths()).toEqual(['/api/user/questions']);
  await puller.pullMine();
  expect(paths()).toHaveLength(2);
});

test('a change during a pull of the activity or the notifications causes another one after it', async () => {
  const { promise: isReleased, resolve: release } = Promise.withResolvers<void>();
  const { puller, paths } = createTestPuller(async (request) => {
    await isReleased;
    return json(200, { data: [], nextCursor: null, unread: 0 })(request);
  });
  const pullBoth = () => [puller.pullActivity(), puller.pullChangedNotifications()];
  const calls = pullBoth();
  await vi.waitFor(() => expect(paths()).toHaveLength(2));
  calls.push(...pullBoth(), ...pullBoth());
  release();
  await Promise.all(calls);
  expect(paths().toSorted()).toEqual([
    '/api/activity',
    '/api/activity',
    '/api/notifications',
    '/api/notifications',
  ]);
});

test('a change to a poll of the user during a pull of their list causes another one after it', async () => {
  const { promise: isReleased, resolve: release } = Promise.withResolvers<void>();
  const { puller, paths } = createTestPuller(async (request) => {
    await isReleased;
    return json(200, [])(request);
  });
  const calls = [puller.pullMine(), puller.pullChangedMine()];
  await vi.waitFor(() => expect(paths()).toHaveLength(1));
  release();
  await Promise.all(calls);
  expect(paths()).toEqual(['/api/user/questions', '/api/user/questions']);
});

test('lists and polls are fetched in parallel', async () => {
  const { puller, paths } = createTestPuller(json(200, samplePoll()));
  const { pullFeed, pullTrending, pullMine, pullPoll } = puller;
  await Promise.all([pullFeed(), pullTrending(), pullMine(), pullPoll(POLL_ID), pullPoll(OTHER_POLL_ID)]);
  expect(paths().toSorted()).toEqual([
    '/api/questions',
    `/api/questions/${POLL_ID}`,
    `/api/questions/${OTHER_POLL_ID}`,
    '/api/trending',
    '/api/user/questions',
  ]);
});

test('the next page of the feed is fetched independently of page 1', async () => {
  const pagination = { limit: 24, offset: 0, hasMore: true, nextCursor: 'c1' };
  const { puller, paths } = createTestPuller(json(200, { data: [samplePoll()], pagination }));
  await puller.pullFeed();
  await Promise.all([puller.pullFeed(), puller.pullMoreFeed()]);
  expect(paths()).toHaveLength(3);
});

test('pages after an unchanged page 1 are kept, but not by the first pull of a tab', async () => {
  const polls = Array.from({ length: FEED_PAGE_SIZE + 1 }, () => samplePoll({ id: crypto.randomUUID() }));
  const pageOf = (data: Poll[], nextCursor: string | null) => ({
    data,
    pagination: { limit: FEED_PAGE_SIZE, offset: 0, hasMore: nextCursor !== null, nextCursor },
  });
  const firstPage = json(200, pageOf(polls.slice(0, FEED_PAGE_SIZE), 'c1'), { ETag: '"1"' });
  const secondPage = json(200, pageOf(polls.slice(FEED_PAGE_SIZE), null));
  const unchanged = json(304, null);
  const { db } = userSession();

  const { puller } = createTestPuller(firstPage, secondPage, unchanged);
  await puller.pullFeed();
  await puller.pullMoreFeed();
  expect(await puller.pullFeed()).toBe('unchanged');
  expect(await db.feed.count()).toBe(polls.length);

  const { puller: laterPuller } = createTestPuller(unchanged, secondPage, unchanged);
  expect(await laterPuller.pullFeed()).toBe('unchanged');
  expect(await db.feed.count()).toBe(FEED_PAGE_SIZE);
  await laterPuller.pullMoreFeed();
  expect(await laterPuller.pullFeed()).toBe('unchanged');
  expect(await db.feed.count()).toBe(polls.length);
});

test('after the deck was replaced while its next page was loading, the page after the new one is loaded', async () => {
  const { promise: isReleased, resolve: release } = Promise.withResolvers<void>();
  const page = (id: string, nextCursor: string | null) =>
    json(200, { data: [samplePoll({ id })], nextCursor } satisfies DeckPage);
  const { puller, paths, sent } = createTestPuller(
    page(POLL_ID, 'c2'),
    async (request) => {
      await isReleased;
      return page(OTHER_POLL_ID, null)(request);
    },
    page(POLL_ID, 'c1'),
    page(crypto.randomUUID(), null),
  );
  await puller.pullDeck([]);
  const staleCall = puller.pullMoreDeck();
  await vi.waitFor(() => expect(paths()).toHaveLength(2));
  await puller.pullDeck([]);
  const call = puller.pullMoreDeck();
  release();
  await Promise.all([staleCall, call]);
  const cursors = sent.map(({ path }) => new URLSearchParams(path.split('?')[1]).get('cursor'));
  expect(cursors).toEqual([null, 'c2', null, 'c1']);
  expect(await userSession().db.deck.count()).toBe(2);
});

test('a user does not get the result of another user’s pull', async () => {
  const { puller, paths } = createTestPuller(json(200, []));
  const otherSession = await newUserSession();
  const firstPull = puller.pullMine();
  session.set(otherSession);
  await Promise.all([firstPull, puller.pullMine()]);
  expect(paths()).toHaveLength(2);
});

test('a pull without a valid session is repeated if the user is still logged in afterwards', async () => {
  const { puller, onLoggedOut } = createTestPuller(errorResponse('unauthenticated'), json(200, []));
  expect(await puller.pullMine()).toBe('updated');
  expect(onLoggedOut).toHaveBeenCalledExactlyOnceWith(userId);
  await puller.pullMine();
  expect(onLoggedOut).toHaveBeenCalledTimes(1);
});

test('a pull is repeated once the user is stored in the database again', async () => {
  const { puller, onLoggedOut } = createTestPuller(json(200, [samplePoll()]));
  const { db, user } = userSession();
  await db.user.clear();
  onLoggedOut.mockImplementation(async () => void (await db.user.put(user)));
  expect(await puller.pullMine()).toBe('updated');
  expect(await db.mine.count()).toBe(1);
  expect(onLoggedOut).toHaveBeenCalledExactlyOnceWith(userId);
});

test('nothing is fetched for a visitor', async () => {
  const { puller, paths } = createTestPuller(json(200, []));
  session.set({ status: 'visitor' });
  await expect(puller.pullFeed()).rejects.toThrow(LoggedOutError);
  expect(paths()).toEqual([]);
});
