import { beforeEach, describe, expect, test, vi } from 'vitest';
import { mergePoll, putUser } from '#sync/client/cache/cache.ts';
import { type LiveUpdatesHarness, liveUpdatesHarness, votes } from '#sync/testing/live-updates-harness.ts';
import { queueVote } from '#sync/testing/queue-vote.ts';
import { OTHER_POLL_ID, POLL_ID, samplePoll, sampleUser } from '#sync/testing/samples.ts';
import { freshUserDb } from '#sync/testing/user-db.ts';

let { checkSession, clock, db, updates, pullFeed, pullNotifications, session, settle, userId } =
  {} as LiveUpdatesHarness;

beforeEach(async () => {
  ({ checkSession, clock, db, updates, pullFeed, pullNotifications, session, settle, userId } =
    await liveUpdatesHarness());
});

describe('notifications', () => {
  test('that have changed are fetched once, a moment later', () => {
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

describe('votes', () => {
  test('with a higher revision change the cached poll, others change nothing', async () => {
    await db.polls.put(samplePoll());
    updates.handle(votes(14, 7));
    updates.handle(votes(13, 6));
    await settle();
    expect(await db.polls.get(POLL_ID)).toEqual(samplePoll({ votesCount: 14, rev: 7 }));
    updates.handle(votes(1, 7));
    updates.handle(votes(1, 6));
    await settle();
    expect(await db.polls.get(POLL_ID)).toMatchObject({ votesCount: 14, rev: 7 });
  });

  test('wait while this user’s op is being sent, but not for ever', async () => {
    await db.polls.put(samplePoll());
    await queueVote(db, { userId, pollId: OTHER_POLL_ID, option: 1 }, 0);
    await db.ops.toCollection().modify({ state: 'sending' });
    updates.handle(votes(14, 7));
    await settle();
    expect(await db.polls.get(POLL_ID)).toEqual(samplePoll());
    await db.ops.clear();
    await settle();
    expect(await db.polls.get(POLL_ID)).toMatchObject({ votesCount: 14, rev: 7 });

    await queueVote(db, { userId, pollId: OTHER_POLL_ID, option: 1 }, 0);
    await db.ops.toCollection().modify({ state: 'sending' });
    updates.handle(votes(15, 8));
    for (let index = 0; index < 9; index += 1) await settle();
    expect(await db.polls.get(POLL_ID)).toMatchObject({ votesCount: 15, rev: 8 });
  });

  test('of a poll that is not cached store nothing', async () => {
    updates.handle(votes(14, 7));
    await settle();
    expect(await db.polls.count()).toBe(0);
  });

  test('that complete a poll, and a deactivation, change its status', async () => {
    await db.polls.bulkPut([samplePoll(), samplePoll({ id: OTHER_POLL_ID })]);
    updates.handle(votes(20, 7, 'completed'));
    updates.handle(votes(12, 6, 'inactive', OTHER_POLL_ID));
    await settle();
    expect(await db.polls.get(POLL_ID)).toMatchObject({ status: 'completed', active: true });
    expect(await db.polls.get(OTHER_POLL_ID)).toMatchObject({ status: 'inactive', active: false });
  });

  test('that overtake the response to the user’s own vote do not remove the vote', () => {
    const ahead = samplePoll({ votesCount: 14, rev: 7 });
    const response = samplePoll({
      votesCount: 13,
      rev: 6,
      votes: [{ option: 2 }],
      results: { option1: 6, option2: 7 },
    });
    expect(mergePoll(ahead, response)).toEqual({ ...response, votesCount: 14, rev: 7 });
  });
});

describe('points', () => {
  test('that changed without a response are fetched once, others not at all', async () => {
    updates.handle({ type: 'user', points: 15, rev: 3 });
    await settle();
    updates.handle({ type: 'user', points: 20, rev: 4 });
    await settle();
    expect(await db.user.get(userId)).toMatchObject({ points: 20 });
    expect(checkSession).not.toHaveBeenCalled();
    clock.advance(2_000);
    expect(checkSession).toHaveBeenCalledTimes(1);
    await putUser(db, sampleUser({ id: userId, points: 21, rev: 5 }));
    updates.handle({ type: 'user', points: 21, rev: 5 });
    await settle();
    clock.advance(2_000);
    expect(checkSession).toHaveBeenCalledTimes(1);
  });

  test('are fetched after a new random delay of up to 2 s each time, and only while a user is logged in', async () => {
    updates.handle({ type: 'user', points: 15, rev: 3 });
    await settle();
    clock.advance(999);
    expect(checkSession).not.toHaveBeenCalled();
    clock.advance(1);
    expect(checkSession).toHaveBeenCalledTimes(1);
    updates.handle({ type: 'user', points: 20, rev: 4 });
    await settle();
    session.set({ status: 'visitor' });
    clock.advance(2_000);
    expect(checkSession).toHaveBeenCalledTimes(1);
    session.set({ status: 'user', user: sampleUser({ id: userId }), db, needsLogin: false });
    updates.handle({ type: 'user', points: 25, rev: 5 });
    await settle();
    clock.advance(2_000);
    expect(checkSession).toHaveBeenCalledTimes(2);
  });

  test('with a higher revision are stored', async () => {
    updates.handle({ type: 'user', points: 12, rev: 3 });
    updates.handle({ type: 'user', points: 11, rev: 2 });
    await settle();
    expect(await db.user.get(userId)).toMatchObject({ points: 12, username: 'nina.k' });
    updates.handle({ type: 'user', points: 99, rev: 3 });
    await settle();
    expect(await db.user.get(userId)).toMatchObject({ points: 12 });
  });

  test('do not keep a late response from changing the rest of the user', async () => {
    updates.handle({ type: 'user', points: 12, rev: 4 });
    await settle();
    await putUser(db, sampleUser({ id: userId, username: 'nina', points: 11, rev: 3 }));
    expect(await db.user.get(userId)).toMatchObject({ username: 'nina', points: 12 });
    await putUser(db, sampleUser({ id: userId, username: 'nina', points: 9, rev: 5 }));
    expect(await db.user.get(userId)).toMatchObject({ points: 9 });
  });

  test('of one user are never stored for another', async () => {
    const other = await freshUserDb(40);
    updates.handle({ type: 'user', points: 99, rev: 9 });
    session.set({ status: 'user', user: sampleUser({ id: other.userId }), db: other.db, needsLogin: false });
    await settle();
    expect(await other.db.user.get(other.userId)).toMatchObject({ points: 40 });
    expect(await db.user.get(userId)).toMatchObject({ points: 10 });
  });
});

describe('new and removed polls', () => {
  const created = { type: 'poll.created', id: POLL_ID } as const;

  test('a new poll shows the dot and changes no list; a load of page 1 removes the dot', async () => {
    updates.handle(created);
    await settle();
    expect(updates.hasNewPolls.get()).toBe(true);
    expect(await db.feed.count()).toBe(0);
    pullFeed.mockResolvedValueOnce('unreachable');
    await updates.pullFeed();
    expect(updates.hasNewPolls.get()).toBe(true);
    await updates.pullFeed();
    expect(updates.hasNewPolls.get()).toBe(false);
  });

  test('a new poll that arrives while page 1 loads keeps the dot, unless the page contains it', async () => {
    pullFeed.mockImplementation(async () => {
      updates.handle(created);
      updates.handle({ type: 'poll.created', id: OTHER_POLL_ID });
      await settle();
      await db.polls.put(samplePoll());
      return 'updated';
    });
    await updates.pullFeed();
    expect(updates.hasNewPolls.get()).toBe(true);
    pullFeed.mockResolvedValue('unchanged');
    await updates.pullFeed();
    expect(updates.hasNewPolls.get()).toBe(false);
  });

  test('a new poll that page 1 contains just after its live update shows no dot', async () => {
    pullFeed.mockImplementation(async () => {
      updates.handle(created);
      await settle();
      expect(updates.hasNewPolls.get()).toBe(true);
      await db.polls.put(samplePoll());
      return 'updated';
    });
    await updates.pullFeed();
    expect(updates.hasNewPolls.get()).toBe(false);
  });

  test('a page 1 that arrives after the logout changes nothing', async () => {
    pullFeed.mockImplementation(async () => {
      session.set({ status: 'visitor' });
      return 'updated';
    });
    expect(await updates.pullFeed()).toBe('updated');
  });

  test('live updates are kept when the same user is stored again', async () => {
    updates.handle(created);
    session.set({ status: 'user', user: sampleUser({ id: userId, points: 11 }), db, needsLogin: false });
    await settle();
    expect(updates.hasNewPolls.get()).toBe(true);
    session.set({ status: 'user', user: sampleUser({ id: userId, points: 12 }), db, needsLogin: false });
    expect(updates.hasNewPolls.get()).toBe(true);
  });

  test('a poll that this device has created or cached shows no dot', async () => {
    await db.polls.put(samplePoll());
    await queueVote(db, { userId, pollId: OTHER_POLL_ID, option: 1 }, clock.now());
    updates.handle(created);
    updates.handle({ type: 'poll.created', id: OTHER_POLL_ID });
    await settle();
    expect(updates.hasNewPolls.get()).toBe(false);
  });

  test('a removed poll leaves every list', async () => {
    await db.polls.put(samplePoll());
    for (const list of [db.feed, db.mine, db.trending]) await list.put({ pollId: POLL_ID, position: 0 });
    updates.handle({ type: 'poll.removed', id: POLL_ID });
    await settle();
    expect(await db.polls.count()).toBe(0);
    expect(await db.feed.count()).toBe(0);
  });

  test('a new poll that is removed again leaves no dot, whether it was announced before or not', async () => {
    const removed = { type: 'poll.removed', id: POLL_ID } as const;
    updates.handle(created);
    updates.handle(removed);
    await settle();
    expect(updates.hasNewPolls.get()).toBe(false);
    updates.handle(created);
    await settle();
    expect(updates.hasNewPolls.get()).toBe(true);
    updates.handle(removed);
    await settle();
    expect(updates.hasNewPolls.get()).toBe(false);
  });

  test('listeners are called when the dot appears and disappears', async () => {
    const listener = vi.fn();
    updates.hasNewPolls.subscribe(listener);
    updates.handle(created);
    await settle();
    updates.handle({ type: 'poll.created', id: OTHER_POLL_ID });
    await settle();
    expect(listener).toHaveBeenCalledTimes(1);
    await updates.pullFeed();
    expect(listener).toHaveBeenCalledTimes(2);
  });

  test('the dot disappears with the user', async () => {
    updates.handle(created);
    await settle();
    session.set({ status: 'visitor' });
    expect(updates.hasNewPolls.get()).toBe(false);
  });
});
