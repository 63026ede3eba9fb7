import { beforeEach, describe, expect, test, vi } from 'vitest';
import { FEED_PAGE_SIZE } from '#shared/polls/constants.ts';
import { DAY_MS } from '#shared/time.ts';
import { listMetaOf, putPolls } from '#sync/client/cache/cache.ts';
import { keepUnchangedFeed, putList } from '#sync/client/cache/cached-lists.ts';
import type { PullResult } from '#sync/client/cache/pull.ts';
import {
  type LiveUpdatesHarness,
  liveUpdatesHarness,
  votesUpdate,
} from '#sync/testing/live-updates-harness.ts';
import { OTHER_POLL_ID, POLL_ID, samplePoll } from '#sync/testing/samples.ts';
import { createWatchedPolls } from './watched-polls.ts';

// Set before each test.
let { clock, db, updates, pullPoll, pullFeed, untilStored } = {} as LiveUpdatesHarness;

beforeEach(async () => {
  ({ clock, db, updates, pullPoll, pullFeed, untilStored } = await liveUpdatesHarness());
});

const results = { option1: 6, option2: 6 };

test('outdated results on the screen are fetched at most once in 5 s', async () => {
  await db.polls.put(samplePoll({ results }));
  updates.watchPoll(POLL_ID);
  updates.handle(votesUpdate({ votesCount: 13, rev: 6 }));
  await untilStored();
  expect(pullPoll).not.toHaveBeenCalled();
  clock.advance(2_000);
  expect(pullPoll).toHaveBeenCalledExactlyOnceWith(POLL_ID);
  const startMs = clock.now();
  for (let rev = 7; rev < 12; rev++) {
    updates.handle(votesUpdate({ votesCount: 13 + rev, rev }));
    await untilStored();
  }
  expect(pullPoll).toHaveBeenCalledTimes(1);
  // The second fetch follows 5 s after the first, and a random delay of up to 2 s.
  clock.advance(startMs + 7_000 - clock.now());
  await untilStored();
  expect(pullPoll).toHaveBeenCalledTimes(2);
});

test('a poll is not fetched again within 5 s of its second fetch', async () => {
  // The results of this closed poll are never cached, so each check causes a fetch.
  const read = async () => samplePoll({ status: 'completed' });
  const pull = vi.fn(async () => 'unreachable' as const);
  const watched = createWatchedPolls({
    clock,
    random: () => 0,
    read,
    isStale: () => false,
    pull,
    serverNow: clock.now,
  });
  watched.watch(POLL_ID);
  const checkAndAdvance = async (byMs: number) => {
    watched.checkResults([POLL_ID]);
    await new Promise((next) => setImmediate(next));
    clock.advance(byMs);
    return pull.mock.calls.length;
  };
  expect(await checkAndAdvance(0)).toBe(1);
  expect(await checkAndAdvance(5_000)).toBe(2);
  clock.advance(4_000);
  expect(await checkAndAdvance(999)).toBe(2);
  expect(await checkAndAdvance(1)).toBe(3);
});

test('results are fetched within 2 s even if the clock was set back', async () => {
  await db.polls.put(samplePoll({ results }));
  updates.watchPoll(POLL_ID);
  updates.handle(votesUpdate({ votesCount: 13, rev: 6 }));
  await untilStored();
  clock.advance(2_000);
  expect(pullPoll).toHaveBeenCalledTimes(1);
  clock.setBack(DAY_MS);
  updates.handle(votesUpdate({ votesCount: 20, rev: 7 }));
  await untilStored();
  clock.advance(2_000);
  expect(pullPoll).toHaveBeenCalledTimes(2);
});

test('results that are outdated when they appear on the screen are fetched once, after a random delay of up to 2 s', async () => {
  await db.polls.put(samplePoll({ results, votesCount: 15 }));
  updates.watchPoll(POLL_ID);
  await untilStored();
  clock.advance(999);
  expect(pullPoll).not.toHaveBeenCalled();
  clock.advance(1);
  expect(pullPoll).toHaveBeenCalledTimes(1);
  clock.advance(1_000);
  expect(pullPoll).toHaveBeenCalledTimes(1);
});

test('results that are outdated again are not fetched before 5 s have passed', async () => {
  pullPoll.mockImplementationOnce(async () => {
    await db.polls.put(samplePoll({ rev: 6, votesCount: 13, results: { option1: 7, option2: 6 } }));
    return 'updated';
  });
  await db.polls.put(samplePoll({ results, votesCount: 13 }));
  updates.watchPoll(POLL_ID);
  await untilStored();
  clock.advance(1_000);
  await untilStored();
  clock.advance(2_800);
  updates.handle(votesUpdate({ votesCount: 14, rev: 7 }));
  await untilStored();
  // The second fetch follows 5 s after the first (of which 1 s is left), and a random delay of 1 s.
  clock.advance(1_999);
  expect(pullPoll).toHaveBeenCalledTimes(1);
  clock.advance(1);
  expect(pullPoll).toHaveBeenCalledTimes(2);
});

test('results that are still outdated after a fetch are fetched again', async () => {
  await db.polls.put(samplePoll({ results, votesCount: 15 }));
  updates.watchPoll(POLL_ID);
  await untilStored();
  clock.advance(1_000);
  await untilStored();
  clock.advance(6_000);
  expect(pullPoll).toHaveBeenCalledTimes(2);
});

test('a poll that is not cached is not fetched', async () => {
  updates.watchPoll(POLL_ID);
  updates.refetchWatched();
  await untilStored();
  clock.advance(60_000);
  expect(pullPoll).not.toHaveBeenCalled();
});

test('a poll that is not watched is not read from the cache', async () => {
  const read = vi.fn(async () => undefined);
  const watched = createWatchedPolls({
    clock,
    random: () => 0.5,
    read,
    isStale: () => false,
    pull: pullPoll,
    serverNow: clock.now,
  });
  watched.checkResults([POLL_ID]);
  expect(read).not.toHaveBeenCalled();
  watched.watch(POLL_ID);
  expect(read).toHaveBeenCalledExactlyOnceWith(POLL_ID);
});

test('a poll that is shown twice is still watched after one of its cards has left the screen', async () => {
  await db.polls.put(samplePoll({ results }));
  const unwatchFirst = updates.watchPoll(POLL_ID);
  updates.watchPoll(POLL_ID);
  unwatchFirst();
  // A second call must not end the watch of the other card.
  unwatchFirst();
  updates.handle(votesUpdate({ votesCount: 13, rev: 6 }));
  await untilStored();
  clock.advance(2_000);
  expect(pullPoll).toHaveBeenCalledTimes(1);
});

test('a poll that leaves the screen during the delay is not fetched', async () => {
  await db.polls.put(samplePoll({ results, votesCount: 15 }));
  const unwatch = updates.watchPoll(POLL_ID);
  await untilStored();
  unwatch();
  clock.advance(60_000);
  expect(pullPoll).not.toHaveBeenCalled();
});

test('results are not fetched for polls that are unwatched or have no visible results', async () => {
  await db.polls.bulkPut([samplePoll({ results }), samplePoll({ id: OTHER_POLL_ID })]);
  const unwatchFirst = updates.watchPoll(POLL_ID);
  const unwatchSecond = updates.watchPoll(POLL_ID);
  unwatchFirst();
  unwatchFirst();
  unwatchSecond();
  updates.watchPoll(OTHER_POLL_ID);
  updates.handle(votesUpdate({ votesCount: 13, rev: 6 }));
  updates.handle(votesUpdate({ votesCount: 13, rev: 6, id: OTHER_POLL_ID }));
  await untilStored();
  clock.advance(60_000);
  expect(pullPoll).not.toHaveBeenCalled();
});

test('results are fetched when the poll closes, since everyone may see them', async () => {
  await db.polls.put(samplePoll());
  updates.watchPoll(POLL_ID);
  updates.handle(votesUpdate({ votesCount: 20, rev: 6, status: 'completed' }));
  await untilStored();
  clock.advance(2_000);
  expect(pullPoll).toHaveBeenCalledTimes(1);
});

test('results are not fetched repeatedly while the server is unreachable', async () => {
  pullPoll.mockResolvedValue('unreachable');
  await db.polls.put(samplePoll({ results }));
  updates.watchPoll(POLL_ID);
  updates.handle(votesUpdate({ votesCount: 13, rev: 6 }));
  await untilStored();
  for (let count = 0; count < 20; count++) {
    clock.advance(5_000);
    await untilStored();
  }
  expect(pullPoll).toHaveBeenCalledTimes(1);
  updates.refetchWatched();
  await untilStored();
  clock.advance(2_000);
  expect(pullPoll).toHaveBeenCalledTimes(2);
});

test('a poll without results is fetched when live updates may have been missed, since it may be closed', async () => {
  await db.polls.bulkPut([samplePoll(), samplePoll({ id: OTHER_POLL_ID })]);
  updates.watchPoll(POLL_ID);
  updates.refetchWatched();
  await untilStored();
  clock.advance(2_000);
  expect(pullPoll).toHaveBeenCalledExactlyOnceWith(POLL_ID);
});

test('a removed poll of the user is not fetched, since the server does not show it', async () => {
  await db.polls.put(samplePoll({ isMine: true, removedFor: 'spam' }));
  updates.watchPoll(POLL_ID);
  updates.refetchWatched();
  await untilStored();
  clock.advance(2_000);
  expect(pullPoll).not.toHaveBeenCalled();
});

describe('a poll that has expired since it was cached', () => {
  /** The cached poll when it expires, with the results of the user's own vote. */
  const expiring = () => samplePoll({ results, closesAt: new Date(clock.now() + 1_000).toISOString() });

  async function watchExpired(): Promise<void> {
    await db.polls.put(expiring());
    clock.advance(1_000);
    updates.watchPoll(POLL_ID);
    await untilStored();
    clock.advance(2_000);
    await untilStored();
  }

  test('is fetched when it appears on the screen, even if its results are cached, until it is cached as expired', async () => {
    await watchExpired();
    expect(pullPoll).toHaveBeenCalledTimes(1);
    await db.polls.update(POLL_ID, { status: 'expired' });
    clock.advance(7_000);
    await untilStored();
    expect(pullPoll).toHaveBeenCalledTimes(2);
    clock.advance(60_000);
    expect(pullPoll).toHaveBeenCalledTimes(2);
  });

  test('is fetched if it expires on the screen', async () => {
    await db.polls.put(expiring());
    updates.watchPoll(POLL_ID);
    await untilStored();
    clock.advance(5_000);
    expect(pullPoll).not.toHaveBeenCalled();
    updates.checkResults([POLL_ID]);
    await untilStored();
    clock.advance(2_000);
    expect(pullPoll).toHaveBeenCalledTimes(1);
  });

  test('is fetched again 30 s after an error of the server, and not before', async () => {
    pullPoll.mockResolvedValueOnce('failed');
    await watchExpired();
    const failedAtMs = clock.now();
    for (let second = 0; second < 25; second += 5) {
      updates.checkResults([POLL_ID]);
      updates.watchPoll(POLL_ID)();
      await untilStored();
      clock.advance(5_000 - 600);
    }
    expect(clock.now() - failedAtMs).toBe(25_000);
    expect(pullPoll).toHaveBeenCalledTimes(1);
    await db.polls.update(POLL_ID, { status: 'expired' });
    clock.advance(7_000);
    expect(pullPoll).toHaveBeenCalledTimes(2);
    await untilStored();
    clock.advance(60_000);
    expect(pullPoll).toHaveBeenCalledTimes(2);
  });

  test('is not fetched before 30 s have passed if a live update arrived during the request that failed', async () => {
    const { promise, resolve } = Promise.withResolvers<PullResult>();
    pullPoll.mockReturnValueOnce(promise);
    await watchExpired();
    updates.checkResults([POLL_ID]);
    await untilStored();
    resolve('failed');
    await untilStored();
    clock.advance(25_000);
    expect(pullPoll).toHaveBeenCalledTimes(1);
    clock.advance(7_000);
    expect(pullPoll).toHaveBeenCalledTimes(2);
  });
});

describe('a poll that was not on the screen when live updates may have been missed', () => {
  /** Shows a poll for long enough that it would be fetched, and removes it from the screen. */
  async function show(id = POLL_ID): Promise<void> {
    const unwatch = updates.watchPoll(id);
    await untilStored();
    clock.advance(2_000);
    await untilStored();
    unwatch();
  }

  beforeEach(async () => {
    await db.polls.bulkPut([samplePoll(), samplePoll({ id: OTHER_POLL_ID })]);
    pullPoll.mockImplementation(async (id) => {
      await putPolls(db, [samplePoll({ id })]);
      return 'updated';
    });
  });

  test('is fetched once when it appears', async () => {
    await show();
    updates.refetchWatched();
    await untilStored();
    expect(pullPoll).not.toHaveBeenCalled();
    await show();
    expect(pullPoll).toHaveBeenCalledExactlyOnceWith(POLL_ID);
    await show();
    expect(pullPoll).toHaveBeenCalledTimes(1);
  });

  test('is fetched when it appears again if its first fetch failed', async () => {
    pullPoll.mockResolvedValueOnce('unreachable');
    updates.refetchWatched();
    await show();
    clock.advance(5_000);
    await show();
    expect(pullPoll).toHaveBeenCalledTimes(2);
  });

  test('is not fetched if the server has sent it since', async () => {
    updates.refetchWatched();
    await putList(db, 'trending', [samplePoll()], clock.now());
    await show();
    expect(pullPoll).not.toHaveBeenCalled();
    await show(OTHER_POLL_ID);
    expect(pullPoll).toHaveBeenCalledExactlyOnceWith(OTHER_POLL_ID);
  });

  test('is not fetched if it was cached since', async () => {
    const id = '0198c0de-0000-7000-8000-000000000009';
    updates.refetchWatched();
    await putPolls(db, [samplePoll({ id })]);
    await show(id);
    expect(pullPoll).not.toHaveBeenCalled();
  });

  test('is not fetched if it is on page 1 of a feed that was loaded within 10 seconds before', async () => {
    await db.feed.bulkPut([
      { pollId: POLL_ID, position: FEED_PAGE_SIZE - 1 },
      { pollId: OTHER_POLL_ID, position: FEED_PAGE_SIZE },
    ]);
    await db.listMeta.put(listMetaOf('feed', clock.now() - 9_000, null));
    updates.refetchWatched();
    await untilStored();
    await show();
    expect(pullPoll).not.toHaveBeenCalled();
    await show(OTHER_POLL_ID);
    expect(pullPoll).toHaveBeenCalledExactlyOnceWith(OTHER_POLL_ID);
    await db.listMeta.put(listMetaOf('feed', clock.now() - 11_000, null));
    updates.refetchWatched();
    await untilStored();
    await show();
    expect(pullPoll).toHaveBeenLastCalledWith(POLL_ID);
  });

  test('is fetched after page 1 was unchanged only if it is on a later page', async () => {
    await db.feed.bulkPut([
      { pollId: POLL_ID, position: FEED_PAGE_SIZE - 1 },
      { pollId: OTHER_POLL_ID, position: FEED_PAGE_SIZE },
    ]);
    await db.listMeta.put({ ...listMetaOf('feed', clock.now(), null), etag: '"1"' });
    pullFeed.mockImplementation(async () => {
      await keepUnchangedFeed(db, clock.now());
      return 'unchanged';
    });
    updates.refetchWatched();
    await updates.pullFeed();
    await show();
    expect(pullPoll).not.toHaveBeenCalled();
    await show(OTHER_POLL_ID);
    expect(pullPoll).toHaveBeenCalledExactlyOnceWith(OTHER_POLL_ID);
  });
});
