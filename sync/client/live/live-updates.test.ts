import { beforeEach, describe, expect, test, vi } from 'vitest';
import { mergePoll, putUser } from '#sync/client/cache/cache.ts';
import {
  type LiveUpdatesHarness,
  liveUpdatesHarness,
  votesUpdate,
} from '#sync/testing/live-updates-harness.ts';
import { queueVote } from '#sync/testing/queue-vote.ts';
import { OTHER_POLL_ID, POLL_ID, samplePoll, sampleUser } from '#sync/testing/samples.ts';
import { freshUserDb } from '#sync/testing/user-db.ts';

// Set before each test.
let {
  checkSession,
  clock,
  db,
  updates,
  pullFeed,
  pullMine,
  pullNotifications,
  session,
  untilStored,
  userId,
} = {} as LiveUpdatesHarness;

beforeEach(async () => {
  ({ checkSession, clock, db, updates, pullFeed, pullMine, pullNotifications, session, untilStored, userId } =
    await liveUpdatesHarness());
});

describe('notifications', () => {
  test('are fetched once for several live updates, after a short delay', () => {
    updates.handle({ type: 'notifications' });
    updates.handle({ type: 'notifications' });
    expect(pullNotifications).not.toHaveBeenCalled();
    clock.advance(2_000);
    expect(pullNotifications).toHaveBeenCalledOnce();
    updates.handle({ type: 'notifications' });
    clock.advance(2_000);
    expect(pullNotifications).toHaveBeenCalledTimes(2);
  });

  test('are not fetched after a logout', () => {
    updates.handle({ type: 'notifications' });
    session.set({ status: 'visitor' });
    clock.advance(2_000);
    expect(pullNotifications).not.toHaveBeenCalled();
  });
});

describe('a live update of votes', () => {
  test('changes the cached poll if its revision is newer', async () => {
    await db.polls.put(samplePoll());
    updates.handle(votesUpdate({ votesCount: 14, rev: 7 }));
    updates.handle(votesUpdate({ votesCount: 13, rev: 6 }));
    await untilStored();
    expect(await db.polls.get(POLL_ID)).toEqual(samplePoll({ votesCount: 14, rev: 7 }));
    updates.handle(votesUpdate({ votesCount: 1, rev: 7 }));
    updates.handle(votesUpdate({ votesCount: 1, rev: 6 }));
    await untilStored();
    expect(await db.polls.get(POLL_ID)).toMatchObject({ votesCount: 14, rev: 7 });
  });

  test('waits while an op is being sent, but only for a limited time', async () => {
    await db.polls.put(samplePoll());
    await queueVote(db, { userId, pollId: OTHER_POLL_ID, option: 1 }, 0);
    await db.ops.toCollection().modify({ state: 'sending' });
    updates.handle(votesUpdate({ votesCount: 14, rev: 7 }));
    await untilStored();
    expect(await db.polls.get(POLL_ID)).toEqual(samplePoll());
    await db.ops.clear();
    await untilStored();
    expect(await db.polls.get(POLL_ID)).toMatchObject({ votesCount: 14, rev: 7 });

    await queueVote(db, { userId, pollId: OTHER_POLL_ID, option: 1 }, 0);
    await db.ops.toCollection().modify({ state: 'sending' });
    updates.handle(votesUpdate({ votesCount: 15, rev: 8 }));
    // Storing is postponed at most eight times.
    for (let count = 1; count <= 9; count += 1) await untilStored();
    expect(await db.polls.get(POLL_ID)).toMatchObject({ votesCount: 15, rev: 8 });
  });

  test('of a poll that is not cached stores nothing', async () => {
    updates.handle(votesUpdate({ votesCount: 14, rev: 7 }));
    await untilStored();
    expect(await db.polls.count()).toBe(0);
  });

  test('changes the status of a completed or deactivated poll', async () => {
    await db.polls.bulkPut([samplePoll(), samplePoll({ id: OTHER_POLL_ID })]);
    updates.handle(votesUpdate({ votesCount: 20, rev: 7, status: 'completed' }));
    updates.handle(votesUpdate({ votesCount: 12, rev: 6, status: 'inactive', id: OTHER_POLL_ID }));
    await untilStored();
    expect(await db.polls.get(POLL_ID)).toMatchObject({ status: 'completed', active: true });
    expect(await db.polls.get(OTHER_POLL_ID)).toMatchObject({ status: 'inactive', active: false });
  });

  test('that arrives before the response to the user’s own vote does not remove the vote', () => {
    const cached = samplePoll({ votesCount: 14, rev: 7 });
    const response = samplePoll({
      votesCount: 13,
      rev: 6,
      votes: [{ option: 2 }],
      results: { option1: 6, option2: 7 },
    });
    expect(mergePoll(cached, response)).toEqual({ ...response, votesCount: 14, rev: 7 });
  });
});

describe('a live update of points', () => {
  test('causes one fetch of the user if no response has contained the points', async () => {
    updates.handle({ type: 'user', points: 15, rev: 3 });
    await untilStored();
    updates.handle({ type: 'user', points: 20, rev: 4 });
    await untilStored();
    expect(await db.user.get(userId)).toMatchObject({ points: 20 });
    expect(checkSession).not.toHaveBeenCalled();
    clock.advance(2_000);
    expect(checkSession).toHaveBeenCalledTimes(1);
    await putUser(db, sampleUser({ id: userId, points: 21, rev: 5 }));
    updates.handle({ type: 'user', points: 21, rev: 5 });
    await untilStored();
    clock.advance(2_000);
    expect(checkSession).toHaveBeenCalledTimes(1);
  });

  test('causes a fetch after a random delay, unless nobody is logged in by then', async () => {
    updates.handle({ type: 'user', points: 15, rev: 3 });
    await untilStored();
    clock.advance(999);
    expect(checkSession).not.toHaveBeenCalled();
    clock.advance(1);
    expect(checkSession).toHaveBeenCalledTimes(1);
    updates.handle({ type: 'user', points: 20, rev: 4 });
    await untilStored();
    session.set({ status: 'visitor' });
    clock.advance(2_000);
    expect(checkSession).toHaveBeenCalledTimes(1);
    session.set({ status: 'user', user: sampleUser({ id: userId }), db, needsLogin: false });
    updates.handle({ type: 'user', points: 25, rev: 5 });
    await untilStored();
    clock.advance(2_000);
    expect(checkSession).toHaveBeenCalledTimes(2);
  });

  test('is stored only if its revision is newer', async () => {
    updates.handle({ type: 'user', points: 12, rev: 3 });
    updates.handle({ type: 'user', points: 11, rev: 2 });
    await untilStored();
    expect(await db.user.get(userId)).toMatchObject({ points: 12, username: 'nina.k' });
    updates.handle({ type: 'user', points: 99, rev: 3 });
    await untilStored();
    expect(await db.user.get(userId)).toMatchObject({ points: 12 });
  });

  test('does not prevent a late response from changing the rest of the user', async () => {
    updates.handle({ type: 'user', points: 12, rev: 4 });
    await untilStored();
    await putUser(db, sampleUser({ id: userId, username: 'nina', points: 11, rev: 3 }));
    expect(await db.user.get(userId)).toMatchObject({ username: 'nina', points: 12 });
    await putUser(db, sampleUser({ id: userId, username: 'nina', points: 9, rev: 5 }));
    expect(await db.user.get(userId)).toMatchObject({ points: 9 });
  });

  test('is not stored for another user', async () => {
    const otherUser = await freshUserDb(40);
    updates.handle({ type: 'user', points: 99, rev: 9 });
    session.set({
      status: 'user',
      user: sampleUser({ id: otherUser.userId }),
      db: otherUser.db,
      needsLogin: false,
    });
    await untilStored();
    expect(await otherUser.db.user.get(otherUser.userId)).toMatchObject({ points: 40 });
    expect(await db.user.get(userId)).toMatchObject({ points: 10 });
  });
});

describe('the dot for new polls', () => {
  const created = { type: 'poll.created', id: POLL_ID } as const;

  test('appears after a new poll, and disappears when page 1 is loaded', async () => {
    updates.handle(created);
    await untilStored();
    expect(updates.hasNewPolls.get()).toBe(true);
    expect(await db.feed.count()).toBe(0);
    pullFeed.mockResolvedValueOnce('unreachable');
    await updates.pullFeed();
    expect(updates.hasNewPolls.get()).toBe(true);
    await updates.pullFeed();
    expect(updates.hasNewPolls.get()).toBe(false);
  });

  test('remains if page 1 does not contain a poll that was created while page 1 loaded', async () => {
    pullFeed.mockImplementation(async () => {
      updates.handle(created);
      updates.handle({ type: 'poll.created', id: OTHER_POLL_ID });
      await untilStored();
      await db.polls.put(samplePoll());
      return 'updated';
    });
    await updates.pullFeed();
    expect(updates.hasNewPolls.get()).toBe(true);
    pullFeed.mockResolvedValue('unchanged');
    await updates.pullFeed();
    expect(updates.hasNewPolls.get()).toBe(false);
  });

  test('disappears if page 1 contains a poll that was created while page 1 loaded', async () => {
    pullFeed.mockImplementation(async () => {
      updates.handle(created);
      await untilStored();
      expect(updates.hasNewPolls.get()).toBe(true);
      await db.polls.put(samplePoll());
      return 'updated';
    });
    await updates.pullFeed();
    expect(updates.hasNewPolls.get()).toBe(false);
  });

  test('does not prevent page 1 from loading if the user logs out during the pull', async () => {
    pullFeed.mockImplementation(async () => {
      session.set({ status: 'visitor' });
      return 'updated';
    });
    expect(await updates.pullFeed()).toBe('updated');
  });

  test('remains when the same user is stored again', async () => {
    updates.handle(created);
    session.set({ status: 'user', user: sampleUser({ id: userId, points: 11 }), db, needsLogin: false });
    await untilStored();
    expect(updates.hasNewPolls.get()).toBe(true);
    session.set({ status: 'user', user: sampleUser({ id: userId, points: 12 }), db, needsLogin: false });
    expect(updates.hasNewPolls.get()).toBe(true);
  });

  test('does not appear for polls that this device has created or cached', async () => {
    await db.polls.put(samplePoll());
    await queueVote(db, { userId, pollId: OTHER_POLL_ID, option: 1 }, clock.now());
    updates.handle(created);
    updates.handle({ type: 'poll.created', id: OTHER_POLL_ID });
    await untilStored();
    expect(updates.hasNewPolls.get()).toBe(false);
  });

  test('disappears when the new poll is removed', async () => {
    const removed = { type: 'poll.removed', id: POLL_ID } as const;
    updates.handle(created);
    updates.handle(removed);
    await untilStored();
    expect(updates.hasNewPolls.get()).toBe(false);
    updates.handle(created);
    await untilStored();
    expect(updates.hasNewPolls.get()).toBe(true);
    updates.handle(removed);
    await untilStored();
    expect(updates.hasNewPolls.get()).toBe(false);
  });

  test('is reported to subscribers only when it appears or disappears', async () => {
    const listener = vi.fn();
    updates.hasNewPolls.subscribe(listener);
    updates.handle(created);
    await untilStored();
    updates.handle({ type: 'poll.created', id: OTHER_POLL_ID });
    await untilStored();
    expect(listener).toHaveBeenCalledTimes(1);
    await updates.pullFeed();
    expect(listener).toHaveBeenCalledTimes(2);
  });

  test('disappears after a logout', async () => {
    updates.handle(created);
    await untilStored();
    session.set({ status: 'visitor' });
    expect(updates.hasNewPolls.get()).toBe(false);
  });

  test('does not appear if the user logs out while the live update of the new poll is being stored', async () => {
    const where = vi.spyOn(db.ops, 'where');
    updates.handle(created);
    clock.advance(600);
    // Storing begins by looking for ops about the new poll.
    const isStoring = () => String(where.mock.lastCall?.[0]) === 'entityId';
    while (!isStoring()) await new Promise((next) => setImmediate(next));
    session.set({ status: 'visitor' });
    await untilStored();
    expect(updates.hasNewPolls.get()).toBe(false);
  });
});

describe('a removed poll', () => {
  const lists = () => [db.feed, db.mine, db.trending, db.deck];

  beforeEach(async () => {
    await db.polls.put(samplePoll());
    for (const list of lists()) await list.put({ pollId: POLL_ID, position: 0 });
    updates.handle({ type: 'poll.removed', id: POLL_ID });
  });

  test('leaves every list', async () => {
    await untilStored();
    expect(pullMine).not.toHaveBeenCalled();
    for (const table of [db.polls, ...lists()]) expect(await table.count()).toBe(0);
  });

  test('of the user is fetched again with their list, where it may remain', async () => {
    await db.polls.put(samplePoll({ isMine: true }));
    await untilStored();
    expect(pullMine).toHaveBeenCalledOnce();
  });

  test('remains cached if its removal is undone before the live updates are stored', async () => {
    updates.handle({ type: 'poll.created', id: POLL_ID });
    await untilStored();
    expect(await db.polls.count()).toBe(1);
    expect(await db.feed.count()).toBe(1);
  });
});
