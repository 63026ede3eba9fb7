import { beforeEach, describe, expect, test, vi } from 'vitest';
import type { Poll } from '#shared/polls/schema.ts';
import type { UserDb } from '#sync/client/db.ts';
import { fakeBrowser } from '#sync/testing/fake-browser.ts';
import { fakeClock } from '#sync/testing/fake-clock.ts';
import {
  captivePortal,
  errorResponse,
  json,
  noResponse,
  type Reply,
  scriptedTransport,
} from '#sync/testing/fake-transport.ts';
import { OTHER_POLL_ID, POLL_ID, samplePoll, sampleUser } from '#sync/testing/samples.ts';
import { freshUserDb } from '#sync/testing/user-db.ts';
import { listMetaOf } from './cache.ts';
import { trimFeed } from './cached-lists.ts';
import { fetchUser, pullFeed, pullMine, pullMoreFeed, pullPoll, pullTrending } from './pull.ts';

const NOW_MS = 1_700_000_000_000;
const EPOCH = '0b6a4a0e-36a7-4c2b-8f0e-6b1c1d2e3f40';
let db: UserDb;
let userId: number;

beforeEach(async () => {
  ({ db, userId } = await freshUserDb());
});

function server(...replies: Reply[]) {
  const { transport, sent } = scriptedTransport(...replies);
  return { context: { ...fakeBrowser, transport, db, userId, clock: fakeClock(NOW_MS) }, sent };
}

function page(polls: Poll[], nextCursor: string | null, headers = {}): Reply {
  const pagination = { limit: 24, offset: 0, hasMore: nextCursor !== null, nextCursor };
  return json(200, { data: polls, pagination }, headers);
}

const pollIds = async (list: 'feed' | 'mine' | 'trending') =>
  (await db[list].orderBy('position').toArray()).map(({ pollId }) => pollId);

describe('a read', () => {
  test('sends the expected user, and times out after 15 s', async () => {
    const { context, sent } = server(json(200, []));
    await pullMine(context);
    expect(sent).toMatchObject([
      {
        method: 'GET',
        path: '/api/user/questions',
        headers: { Accept: 'application/json', 'X-Expected-User': String(userId) },
        body: null,
        timeoutMs: 15_000,
      },
    ]);
  });

  test.each<[response: string, reply: Reply, result: string]>([
    ['no response', noResponse, 'unreachable'],
    ['a captive portal’s page', captivePortal, 'unreachable'],
    ['the error unauthenticated', errorResponse('unauthenticated'), 'logged_out'],
    ['the error actor_mismatch', errorResponse('actor_mismatch'), 'logged_out'],
    ['the error not_found', errorResponse('not_found'), 'gone'],
    ['a server error', errorResponse('internal'), 'failed'],
    ['a 404 without an error code of the API', json(404, { message: 'Not here' }), 'failed'],
    ['an error body with status 200', json(200, { message: '', code: 'not_found', requestId: '' }), 'failed'],
    ['polls with another status', json(206, [samplePoll()]), 'failed'],
    ['polls of another shape', json(200, [{ id: POLL_ID }]), 'failed'],
  ])('that receives %s stores nothing', async (_response, reply, result) => {
    const { context } = server(reply);
    expect(await pullMine(context)).toBe(result);
    expect(await db.polls.count()).toBe(0);
    expect(await db.listMeta.count()).toBe(0);
  });

  test('sends the epoch of the server once the device knows it', async () => {
    const { context, sent } = server(json(200, []));
    await pullMine(context);
    await db.user.update(userId, { epoch: EPOCH });
    await pullMine(context);
    expect(sent.map(({ headers }) => headers['X-Expected-Epoch'])).toEqual([undefined, EPOCH]);
  });
});

describe('on a full device, a read', () => {
  const throwWhileFull = () => {
    if (isFull) throw Object.assign(new Error('full'), { name: 'QuotaExceededError' });
  };
  const dropImages = vi.fn(async () => {
    isFull = false;
  });
  let isFull: boolean;

  beforeEach(() => {
    isFull = true;
    dropImages.mockClear();
  });

  test('deletes cached images, and stores the response', async () => {
    db.polls.hook('creating', throwWhileFull);
    const { context } = server(json(200, [samplePoll()]));
    expect(await pullMine({ ...context, storage: { ...context.storage, dropImages } })).toBe('updated');
    expect(dropImages).toHaveBeenCalledOnce();
    expect(await pollIds('mine')).toEqual([POLL_ID]);
  });

  test('of an unchanged feed deletes cached images, and stores the time of the read', async () => {
    const { context } = server(page([samplePoll()], null, { ETag: '"1"' }), json(304, null));
    await pullFeed({ ...context, clock: fakeClock(NOW_MS - 1) });
    db.listMeta.hook('updating', throwWhileFull);
    expect(await pullFeed({ ...context, storage: { ...context.storage, dropImages } })).toBe('unchanged');
    expect(await db.listMeta.get('feed')).toMatchObject({ fetchedAt: NOW_MS });
  });

  test('fails if that frees no space, and deletes no pages of the feed', async () => {
    const { context } = server(page([samplePoll()], null), json(200, [samplePoll({ id: OTHER_POLL_ID })]));
    await pullFeed(context);
    db.polls.hook('creating', throwWhileFull);
    await expect(pullMine(context)).rejects.toMatchObject({ name: 'QuotaExceededError' });
    expect(await pollIds('feed')).toEqual([POLL_ID]);
  });
});

describe('the feed', () => {
  test('is replaced by page 1, whose ETag the next request sends', async () => {
    const { context, sent } = server(page([samplePoll()], 'c1', { ETag: '"1"' }), json(304, null));
    expect(await pullFeed(context)).toBe('updated');
    expect(sent[0]?.path).toBe('/api/questions?limit=24&offset=0&includeCount=true');
    expect(sent[0]?.headers).not.toHaveProperty('If-None-Match');
    expect(await pullFeed({ ...context, clock: fakeClock(NOW_MS + 5_000) })).toBe('unchanged');
    expect(sent[1]?.headers).toMatchObject({ 'If-None-Match': '"1"' });
    expect(await pollIds('feed')).toEqual([POLL_ID]);
    expect(await db.listMeta.get('feed')).toEqual({
      list: 'feed',
      fetchedAt: NOW_MS + 5_000,
      etag: '"1"',
      buildId: expect.any(String),
      nextCursor: 'c1',
      hasMore: true,
    });
  });

  test('keeps its age if a pull fails', async () => {
    const { context } = server(page([samplePoll()], null), noResponse);
    await pullFeed(context);
    await pullFeed({ ...context, clock: fakeClock(NOW_MS + 5_000) });
    expect(await db.listMeta.get('feed')).toMatchObject({ fetchedAt: NOW_MS });
  });

  test('continues with the page after the last stored page', async () => {
    const { context, sent } = server(
      page([samplePoll()], 'c1'),
      page([samplePoll({ id: OTHER_POLL_ID })], null),
    );
    await pullFeed(context);
    expect(await pullMoreFeed(context)).toBe('updated');
    expect(sent[1]?.path).toBe('/api/questions?limit=24&offset=1&includeCount=true&cursor=c1');
    expect(await pollIds('feed')).toEqual([POLL_ID, OTHER_POLL_ID]);
  });

  test('continues, once later pages were removed, by an offset without hidden polls, which the server does not count', async () => {
    const ids = Array.from(
      { length: 241 },
      (_, index) => `019352aa-0000-7000-8000-${String(index).padStart(12, '0')}`,
    );
    await db.polls.bulkPut(ids.map((id) => samplePoll({ id })));
    await db.feed.bulkPut(ids.map((pollId, position) => ({ pollId, position })));
    await db.listMeta.put({ ...listMetaOf('feed', 0, 'c240'), etag: '"1"' });
    await trimFeed(db, 240);
    for (const id of ids.slice(0, 2)) {
      await db.hidden.put({ key: `poll ${id}`, isHidden: true, reason: 'spam', ackedAt: 0 });
    }
    const { context, sent } = server(page([], null));
    await pullMoreFeed(context);
    expect(sent[0]?.path).toContain('offset=238&');
  });

  test('loads no further page at its end or before page 1', async () => {
    const { context, sent } = server(page([samplePoll()], null));
    expect(await pullMoreFeed(context)).toBe('unchanged');
    expect(sent).toHaveLength(0);
    await pullFeed(context);
    expect(await pullMoreFeed(context)).toBe('unchanged');
    expect(sent).toHaveLength(1);
  });
});

test('the trending polls are the two with the most votes', async () => {
  const thirdPollId = '019352aa-0000-7000-8000-000000000003';
  const { context, sent } = server(
    json(200, [
      samplePoll({ id: thirdPollId, votesCount: 3 }),
      samplePoll({ votesCount: 5 }),
      samplePoll({ id: OTHER_POLL_ID, votesCount: 9 }),
    ]),
  );
  expect(await pullTrending(context)).toBe('updated');
  expect(sent[0]?.path).toBe('/api/trending?limit=2&metrics=true&minVotes=1');
  expect(await pollIds('trending')).toEqual([OTHER_POLL_ID, POLL_ID]);
  expect(await db.listMeta.get('trending')).toMatchObject({ fetchedAt: NOW_MS });
});

test('own polls are stored in order', async () => {
  const { context } = server(json(200, [samplePoll({ id: OTHER_POLL_ID }), samplePoll()]));
  expect(await pullMine(context)).toBe('updated');
  expect(await pollIds('mine')).toEqual([OTHER_POLL_ID, POLL_ID]);
  const meta = { list: 'mine', fetchedAt: NOW_MS, etag: null, nextCursor: null, hasMore: false };
  expect(await db.listMeta.get('mine')).toEqual(meta);
});

test('a poll is removed from all lists after a 404, but not after a server error', async () => {
  const { context, sent } = server(
    json(200, samplePoll()),
    errorResponse('internal'),
    errorResponse('not_found'),
  );
  expect(await pullPoll(context, POLL_ID)).toBe('updated');
  expect(sent[0]?.path).toBe(`/api/questions/${POLL_ID}`);
  const lists = [db.feed, db.mine, db.trending, db.deck];
  for (const list of lists)
    await list.bulkPut([POLL_ID, OTHER_POLL_ID].map((pollId, position) => ({ pollId, position })));
  await pullPoll(context, POLL_ID);
  expect(await db.polls.toArray()).toEqual([samplePoll()]);
  expect(await pullPoll(context, POLL_ID)).toBe('gone');
  expect(await db.polls.count()).toBe(0);
  for (const list of lists) expect(await list.toCollection().primaryKeys()).toEqual([OTHER_POLL_ID]);
});

test.each<[string, () => Promise<unknown>]>([
  ['was removed by an administrator', () => db.polls.put(samplePoll({ isMine: true, removedFor: 'spam' }))],
  [
    'the user has reported',
    async () => {
      await db.polls.put(samplePoll());
      await db.hidden.put({ key: `poll ${POLL_ID}`, isHidden: true, reason: 'spam', ackedAt: 0 });
    },
  ],
])('a poll that %s stays in its list after a 404', async (_which, prepare) => {
  await prepare();
  await db.mine.put({ pollId: POLL_ID, position: 0 });
  const { context } = server(errorResponse('not_found'));
  expect(await pullPoll(context, POLL_ID)).toBe('gone');
  expect([await db.polls.count(), await pollIds('mine')]).toEqual([1, [POLL_ID]]);
});

describe('the session check', () => {
  const user = sampleUser();

  test.each<[resultText: string, response: string, reply: Reply, result: unknown]>([
    ['the user', 'a 200', json(200, user), user],
    ['null', 'the error unauthenticated', errorResponse('unauthenticated'), null],
    ['`unreachable`', 'a server error', errorResponse('internal'), 'unreachable'],
    ['`unreachable`', 'no response', noResponse, 'unreachable'],
    ['`unreachable`', 'a captive portal’s page', captivePortal, 'unreachable'],
    ['`unreachable`', 'a user with another status', json(203, user), 'unreachable'],
  ])('returns %s after %s', async (_resultText, _response, reply, result) => {
    const { context, sent } = server(reply);
    expect(await fetchUser(context.transport)).toEqual(result);
    expect(sent).toMatchObject([{ path: '/api/user', headers: { Accept: 'application/json' } }]);
  });
});
