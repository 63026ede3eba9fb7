import { describe, expect, test } from 'vitest';
import { observable } from '#sync/client/observable.ts';
import type { Session } from '#sync/client/session/session-context.ts';
import { fakeDeviceNote } from '#sync/testing/fake-browser.ts';
import { sampleUser } from '#sync/testing/samples.ts';
import { createEvictions } from './evictions.ts';

const USER_ID = 7;
const OTHER_ID = 8;
const waitingOf = (count: number) => ({ userId: USER_ID, count });

/** The evictions of a device whose note has `waiting` as the count of waiting changes. */
function deviceWith(waiting: ReturnType<typeof waitingOf> | null, { hasBeenUsed = true } = {}) {
  const note = fakeDeviceNote({ hasBeenUsed, waiting });
  const session = observable<Session>({ status: 'visitor' });
  return { ...createEvictions(note, session), note, session };
}

const sessionOf = (id: number) =>
  ({ status: 'user', user: sampleUser({ id }) }) as Partial<Session> as Session;

describe('the eviction of a user’s data', () => {
  test('is reported with the number of lost changes, which is then reset to 0', () => {
    const { onEvicted, eviction, note } = deviceWith(waitingOf(3));
    onEvicted(USER_ID);
    expect(eviction.get()).toEqual({ userId: USER_ID, lostChanges: 3 });
    expect(note.readWaiting()).toEqual(waitingOf(0));
    expect(note.readEviction()).toBeNull();
  });

  test('is not reported if no changes were waiting, since the cache can be fetched again', () => {
    const { onEvicted, eviction, note } = deviceWith(waitingOf(0));
    onEvicted(USER_ID);
    expect([eviction.get(), note.readEviction()]).toEqual([null, null]);
  });

  test.each([
    ['belongs to another user', waitingOf(3)],
    ['is unknown', null],
  ])('is reported without a number if the count of waiting changes %s', (_case, waiting) => {
    const { onEvicted, eviction } = deviceWith(waiting);
    onEvicted(OTHER_ID);
    expect(eviction.get()).toEqual({ userId: OTHER_ID, lostChanges: null });
  });

  test('is reported while nobody is logged in if the count of waiting changes names a user', () => {
    const { onEvicted, eviction } = deviceWith(waitingOf(3));
    onEvicted(null);
    expect(eviction.get()).toEqual({ userId: USER_ID, lostChanges: 3 });
  });

  test('is not reported while nobody is logged in if the count of waiting changes is unknown', () => {
    const { onEvicted, eviction, note } = deviceWith(null);
    onEvicted(null);
    expect([eviction.get(), note.readEviction()]).toEqual([null, null]);
  });

  test('is reported only to its user, once the session is known', () => {
    const { onEvicted, report, eviction, session } = deviceWith(waitingOf(3));
    session.set({ status: 'loading' });
    onEvicted(USER_ID);
    expect(eviction.get()).toBeNull();
    session.set(sessionOf(OTHER_ID));
    report();
    expect(eviction.get()).toBeNull();
    session.set(sessionOf(USER_ID));
    report();
    expect(eviction.get()).toEqual({ userId: USER_ID, lostChanges: 3 });
  });
});

describe('a device whose database is created', () => {
  test('counts as cleared if it was used before', () => {
    const { recordCleared, takeCleared, report, eviction } = deviceWith(null);
    expect(takeCleared()).toBe(false);
    recordCleared();
    report();
    expect(eviction.get()).toBeNull();
    expect([takeCleared(), takeCleared()]).toEqual([true, false]);
  });

  test('counts as new if it was never used', () => {
    const { recordCleared, takeCleared } = deviceWith(null, { hasBeenUsed: false });
    recordCleared();
    expect(takeCleared()).toBe(false);
  });

  test('still reports an earlier eviction', () => {
    const { onEvicted, recordCleared, takeCleared, setVisible, eviction } = deviceWith(waitingOf(3));
    setVisible(false);
    onEvicted(USER_ID);
    recordCleared();
    expect(takeCleared()).toBe(false);
    setVisible(true);
    expect(eviction.get()).toEqual({ userId: USER_ID, lostChanges: 3 });
  });
});
