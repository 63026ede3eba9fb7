import { Dexie } from 'dexie';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { DAY_MS } from '#shared/time.ts';
import { openUserDb } from '#sync/client/db.ts';
import { queueOp } from '#sync/client/outbox/outbox.ts';
import type { FakeClock } from '#sync/testing/fake-clock.ts';
import { errorResponse, json, noResponse } from '#sync/testing/fake-transport.ts';
import { newVote } from '#sync/testing/queue-vote.ts';
import { POLL_ID, samplePoll, sampleUser } from '#sync/testing/samples.ts';
import { type SessionHarness, sessionHarness } from '#sync/testing/session-harness.ts';
import { logOut } from './log-out.ts';
import { checkUser, endSession, openLastUser, startSession } from './session.ts';

const user = sampleUser({ id: 7_000 });
const otherUser = sampleUser({ id: 7_001, username: 'ruth-a' });
let tab: SessionHarness;
const clock = () => tab.context.clock as FakeClock;

/** The numbers of polls, users and ops in a user's database. */
async function rowCounts(userId = user.id) {
  const db = openUserDb('test', userId);
  const counts = await Promise.all([db.polls.count(), db.user.count(), db.ops.count()]);
  db.close();
  return counts;
}

beforeEach(async () => {
  tab = sessionHarness();
  await startSession(tab.context, user);
  const { db } = tab.current();
  await db.polls.put(samplePoll());
  await queueOp(db, user.id, newVote(POLL_ID, 1), clock().now());
});

describe('a session that has ended on the server', () => {
  const noticeEnd = async () => {
    tab.answer(errorResponse('unauthenticated'));
    await checkUser(tab.context);
  };
  /** Closes the app and opens it again. */
  const reopen = async () => {
    const current = tab.context.session.get();
    if (current.status === 'user') current.db.close();
    tab.context.session.set({ status: 'loading' });
    await openLastUser(tab.context);
  };

  test('leaves everything on the device for 30 days', async () => {
    await noticeEnd();
    clock().advance(30 * DAY_MS - 1);
    await reopen();
    expect(tab.context.session.get().status).toBe('user');
    await noticeEnd();
    expect(await rowCounts()).toEqual([1, 1, 1]);
  });

  test('leaves only waiting ops on the device after 30 days, even without a network', async () => {
    await noticeEnd();
    clock().advance(30 * DAY_MS);
    tab.answer(noResponse);
    await reopen();
    expect(tab.context.session.get().status).toBe('visitor');
    expect(await rowCounts()).toEqual([0, 0, 1]);
  });

  test('leaves only waiting ops on the device if the app was open for 30 days', async () => {
    await noticeEnd();
    clock().advance(30 * DAY_MS);
    await endSession(tab.context);
    expect(tab.context.session.get().status).toBe('visitor');
    expect(await rowCounts()).toEqual([0, 0, 1]);
  });

  test('leaves everything on the device for another 30 days after a login', async () => {
    await noticeEnd();
    clock().advance(20 * DAY_MS);
    await startSession(tab.context, user);
    await noticeEnd();
    clock().advance(20 * DAY_MS);
    await reopen();
    expect(tab.context.session.get().status).toBe('user');
  });

  test('leaves only waiting ops on the device when another user logs in', async () => {
    await noticeEnd();
    await startSession(tab.context, otherUser);
    expect(await rowCounts()).toEqual([0, 0, 1]);
    expect(await rowCounts(otherUser.id)).toEqual([0, 1, 0]);
  });

  test('leaves no cached images on the device when another user logs in', async () => {
    const dropImages = vi.fn(async () => {});
    Object.assign(tab.context, { storage: { ...tab.context.storage, dropImages } });
    await noticeEnd();
    await startSession(tab.context, otherUser);
    expect(dropImages).toHaveBeenCalledOnce();
  });

  test('leaves only waiting ops on the device even if the data could not be deleted when another user logged in', async () => {
    tab.context.session.set({ status: 'storage_blocked' });
    const { indexedDB } = Dexie.dependencies;
    const open = indexedDB.open.bind(indexedDB);
    const opening = vi.spyOn(indexedDB, 'open').mockImplementation((name, version) => {
      if (name === `test-user-${user.id}`) throw new Error('broken');
      return open(name, version);
    });
    await startSession(tab.context, otherUser);
    opening.mockRestore();
    expect(await rowCounts()).toEqual([1, 1, 1]);
    tab.answer(noResponse);
    await checkUser(tab.context);
    expect(await rowCounts()).toEqual([0, 0, 1]);
  });
});

test('60 days without a network do not log the user out', async () => {
  clock().advance(60 * DAY_MS);
  tab.answer(noResponse);
  tab.current().db.close();
  tab.context.session.set({ status: 'loading' });
  await openLastUser(tab.context);
  expect(tab.context.session.get().status).toBe('user');
  expect(await rowCounts()).toEqual([1, 1, 1]);
});

describe('a logout', () => {
  test('deletes cached images', async () => {
    const dropImages = vi.fn(async () => {});
    Object.assign(tab.context, { storage: { dropImages } });
    tab.answer(json(204, null));
    await logOut(tab.context, 'keep');
    expect(dropImages).toHaveBeenCalledOnce();
  });

  test('does not wait until images are deleted', async () => {
    Object.assign(tab.context, { storage: { dropImages: () => new Promise(() => {}) } });
    tab.answer(json(204, null));
    await logOut(tab.context, 'keep');
    expect(await rowCounts()).toEqual([0, 0, 1]);
  });
});
