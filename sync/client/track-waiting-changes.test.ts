import 'fake-indexeddb/auto';
import { liveQuery } from 'dexie';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { putNotifications } from '#sync/client/cache/cached-notifications.ts';
import type { Session } from '#sync/client/session/session-context.ts';
import { FakeCookies } from '#sync/testing/fake-cookies.ts';
import { queueVote } from '#sync/testing/queue-vote.ts';
import { POLL_ID, sampleNotification, sampleUser } from '#sync/testing/samples.ts';
import { settled } from '#sync/testing/settled.ts';
import { freshUserDb } from '#sync/testing/user-db.ts';
import { browserCapabilities, trackWaitingChanges } from './browser.ts';
import type { Engine } from './engine.ts';
import { observable } from './observable.ts';

let fakeDocument: FakeCookies;
const badge = { setAppBadge: vi.fn(async () => {}), clearAppBadge: vi.fn(async () => {}) };

beforeEach(() => {
  fakeDocument = new FakeCookies();
  vi.stubGlobal('document', fakeDocument);
  vi.stubGlobal('location', { protocol: 'https:' });
  vi.stubGlobal('navigator', badge);
});

afterEach(() => {
  vi.unstubAllGlobals();
});

/** Starts `trackWaitingChanges` for an engine and returns its session. */
function startTracking() {
  const session = observable<Session>({ status: 'visitor' });
  trackWaitingChanges({ session } as Partial<Engine> as Engine);
  return session;
}

/** Deletes a database like the browser, which does not notify open tabs of it. */
function evict(name: string): Promise<unknown> {
  const deletion = indexedDB.deleteDatabase(name);
  return new Promise((resolve) => deletion.addEventListener('success', resolve));
}

test('the cookie and the icon show the current number of the logged-in user’s waiting changes', async () => {
  const { db, userId } = await freshUserDb();
  const session = startTracking();
  const user = sampleUser({ id: userId });
  session.set({ status: 'user', user, db, needsLogin: false });
  await vi.waitFor(() => expect(fakeDocument.cookie).toBe(`waiting=${userId}.0`));
  await queueVote(db, { userId, pollId: POLL_ID, option: 1 }, 0);
  await vi.waitFor(() => expect(fakeDocument.cookie).toBe(`waiting=${userId}.1`));
  expect(badge.setAppBadge).toHaveBeenLastCalledWith(1);
  await db.ops.toCollection().modify({ state: 'rejected' });
  await queueVote(db, { userId, pollId: 'a', option: 1 }, 0);
  await vi.waitFor(() => expect(fakeDocument.cookie).toBe(`waiting=${userId}.2`));
  session.set({ status: 'user', user, db, needsLogin: true });
  expect(browserCapabilities().deviceNote.readWaiting()).toEqual({ userId, count: 2 });
});

test('the number on the icon includes unread notifications, the number in the cookie does not', async () => {
  const { db, userId } = await freshUserDb();
  startTracking().set({ status: 'user', user: sampleUser({ id: userId }), db, needsLogin: false });
  await putNotifications(
    db,
    { data: [2, 1].map((id) => sampleNotification({ id })), unread: 2, nextCursor: null },
    1,
  );
  await vi.waitFor(() => expect(badge.setAppBadge).toHaveBeenLastCalledWith(2));
  await queueVote(db, { userId, pollId: POLL_ID, option: 1 }, 0);
  await vi.waitFor(() => expect(badge.setAppBadge).toHaveBeenLastCalledWith(3));
  expect(fakeDocument.cookie).toBe(`waiting=${userId}.1`);
});

test('a change that leaves the numbers as they are writes neither of them again', async () => {
  const { db, userId } = await freshUserDb();
  await queueVote(db, { userId, pollId: POLL_ID, option: 1 }, 0);
  startTracking().set({ status: 'user', user: sampleUser({ id: userId }), db, needsLogin: false });
  await vi.waitFor(() => expect(badge.setAppBadge).toHaveBeenLastCalledWith(1));
  badge.setAppBadge.mockClear();
  fakeDocument.lastWritten = '';
  // Another live query shows when the change would have been counted.
  let isLeased = false;
  const subscription = liveQuery(() => db.ops.toArray()).subscribe(([op]) => {
    isLeased = op?.state === 'sending';
  });
  await db.ops.toCollection().modify({ state: 'sending' });
  await vi.waitFor(() => expect(isLeased).toBe(true));
  await settled();
  subscription.unsubscribe();
  expect(badge.setAppBadge).not.toHaveBeenCalled();
  expect(fakeDocument.lastWritten).toBe('');
});

test('after an eviction the number is written again even if as many changes wait as before', async () => {
  const { db, userId } = await freshUserDb();
  // As the engine does when the database is recreated.
  db.on('populate', () => browserCapabilities().deviceNote.noteWaiting(userId, 0));
  await queueVote(db, { userId, pollId: POLL_ID, option: 1 }, 0);
  startTracking().set({ status: 'user', user: sampleUser({ id: userId }), db, needsLogin: false });
  await vi.waitFor(() => expect(fakeDocument.cookie).toBe(`waiting=${userId}.1`));
  db.close({ disableAutoOpen: false });
  await evict(db.name);
  await queueVote(db, { userId, pollId: POLL_ID, option: 1 }, 0);
  await vi.waitFor(() => expect(fakeDocument.cookie).toBe(`waiting=${userId}.1`));
});

test('after a logout the icon has no badge, and later changes are not counted', async () => {
  const { db, userId } = await freshUserDb();
  const session = startTracking();
  session.set({ status: 'user', user: sampleUser({ id: userId }), db, needsLogin: false });
  await vi.waitFor(() => expect(fakeDocument.cookie).toBe(`waiting=${userId}.0`));
  badge.clearAppBadge.mockClear();
  session.set({ status: 'visitor' });
  expect(badge.clearAppBadge).toHaveBeenCalledOnce();
  // Another live query shows when the change would have been counted.
  let observedCount = 0;
  const subscription = liveQuery(() => db.ops.count()).subscribe((count) => {
    observedCount = count;
  });
  await queueVote(db, { userId, pollId: POLL_ID, option: 1 }, 0);
  await vi.waitFor(() => expect(observedCount).toBe(1));
  subscription.unsubscribe();
  expect(fakeDocument.cookie).toBe(`waiting=${userId}.0`);
});

test('a visitor who opens the app sees no badge, even if an earlier session has left one', () => {
  badge.clearAppBadge.mockClear();
  const session = startTracking();
  session.set({ status: 'storage_blocked' });
  expect(badge.clearAppBadge).not.toHaveBeenCalled();
  session.set({ status: 'visitor' });
  expect(badge.clearAppBadge).toHaveBeenCalledOnce();
});

test('a logout closes the push messages on the screen, a start does not', async () => {
  const { db, userId } = await freshUserDb();
  const close = vi.fn();
  const registration = { getNotifications: async () => [{ close }, { close }] };
  vi.stubGlobal('navigator', { ...badge, serviceWorker: { getRegistration: async () => registration } });
  const session = startTracking();
  session.set({ status: 'user', user: sampleUser({ id: userId }), db, needsLogin: false });
  await settled();
  expect(close).not.toHaveBeenCalled();
  session.set({ status: 'visitor' });
  await vi.waitFor(() => expect(close).toHaveBeenCalledTimes(2));
});

test('an outdated copy of the count, set by the server, is deleted', () => {
  const session = startTracking();
  fakeDocument.cookie = 'waiting=7.1';
  fakeDocument.cookie = 'waiting_copy=7.2';
  session.set({ status: 'visitor' });
  expect(fakeDocument.cookie).toBe('waiting=7.1');
});
