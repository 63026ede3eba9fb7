import { beforeEach, expect, test, vi } from 'vitest';
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
  const pulls = createPuller({
    transport,
    clock: fakeClock(),
    storage: fakeBrowser.storage,
    session,
    onLoggedOut,
  });
  return { pulls, paths: () => sent.map(({ path }) => path.split('?')[0]), onLoggedOut };
}

test('concurrent pulls of a list share a request', async () => {
  const { pulls, paths } = createTestPuller(json(200, []));
  expect(await Promise.all([pulls.pullMine(), pulls.pullMine()])).toEqual(['updated', 'updated']);
  expect(paths()).toEqual(['/api/user/questions']);
  await pulls.pullMine();
  expect(paths()).toHaveLength(2);
});

test('a change during a pull of the activity or the notifications causes another one after it', async () => {
  const { promise: isReleased, resolve: release } = Promise.withResolvers<void>();
  const { pulls, paths } = createTestPuller(async (request) => {
    await isReleased;
    return json(200, { data: [], nextCursor: null, unread: 0 })(request);
  });
  const pullBoth = () => [pulls.pullActivity(), pulls.pullChangedNotifications()];
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
  const { pulls, paths } = createTestPuller(async (request) => {
    await isReleased;
    return json(200, [])(request);
  });
  const calls = [pulls.pullMine(), pulls.pullChangedMine()];
  await vi.waitFor(() => expect(paths()).toHaveLength(1));
  release();
  await Promise.all(calls);
  expect(paths()).toEqual(['/api/user/questions', '/api/user/questions']);
});

test('lists and polls are fetched in parallel', async () => {
  const { pulls, paths } = createTestPuller(json(200, samplePoll()));
  const { pullFeed, pullTrending, pullMine, pullPoll } = pulls;
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
  const { pulls, paths } = createTestPuller(json(200, { data: [samplePoll()], pagination }));
  await pulls.pullFeed();
  await Promise.all([pulls.pullFeed(), pulls.pullMoreFeed()]);
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

  const { pulls } = createTestPuller(firstPage, secondPage, unchanged);
  await pulls.pullFeed();
  await pulls.pullMoreFeed();
  expect(await pulls.pullFeed()).toBe('unchanged');
  expect(await db.feed.count()).toBe(polls.length);

  const { pulls: laterPulls } = createTestPuller(unchanged, secondPage, unchanged);
  expect(await laterPulls.pullFeed()).toBe('unchanged');
  expect(await db.feed.count()).toBe(FEED_PAGE_SIZE);
  await laterPulls.pullMoreFeed();
  expect(await laterPulls.pullFeed()).toBe('unchanged');
  expect(await db.feed.count()).toBe(polls.length);
});

test('a user does not get the result of another user’s pull', async () => {
  const { pulls, paths } = createTestPuller(json(200, []));
  const otherSession = await newUserSession();
  const firstPull = pulls.pullMine();
  session.set(otherSession);
  await Promise.all([firstPull, pulls.pullMine()]);
  expect(paths()).toHaveLength(2);
});

test('a pull without a valid session is repeated if the user is still logged in afterwards', async () => {
  const { pulls, onLoggedOut } = createTestPuller(errorResponse('unauthenticated'), json(200, []));
  expect(await pulls.pullMine()).toBe('updated');
  expect(onLoggedOut).toHaveBeenCalledExactlyOnceWith(userId);
  await pulls.pullMine();
  expect(onLoggedOut).toHaveBeenCalledTimes(1);
});

test('a pull is repeated once the user is stored in the database again', async () => {
  const { pulls, onLoggedOut } = createTestPuller(json(200, [samplePoll()]));
  const { db, user } = userSession();
  await db.user.clear();
  onLoggedOut.mockImplementation(async () => void (await db.user.put(user)));
  expect(await pulls.pullMine()).toBe('updated');
  expect(await db.mine.count()).toBe(1);
  expect(onLoggedOut).toHaveBeenCalledExactlyOnceWith(userId);
});

test('nothing is fetched for a visitor', async () => {
  const { pulls, paths } = createTestPuller(json(200, []));
  session.set({ status: 'visitor' });
  await expect(pulls.pullFeed()).rejects.toThrow(LoggedOutError);
  expect(paths()).toEqual([]);
});
