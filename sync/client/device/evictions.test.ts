import { describe, expect, test } from 'vitest';
import { observable } from '#sync/client/observable.ts';
import type { Session } from '#sync/client/session/session-context.ts';
import { fakeDeviceNote } from '#sync/testing/fake-browser.ts';
import { sampleUser } from '#sync/testing/samples.ts';
import { createEvictions } from './evictions.ts';

const USER_ID = 7;
const OTHER_ID = 8;
const waiting = (count: number) => ({ userId: USER_ID, count });

/** The evictions of a device whose note contains `noted` as the waiting changes. */
function deviceWith(noted: ReturnType<typeof waiting> | null, { wasUsed = true } = {}) {
  const note = fakeDeviceNote(wasUsed, noted);
  const session = observable<Session>({ status: 'visitor' });
  return { ...createEvictions(note, session), note, session };
}

const sessionOf = (id: number) =>
  ({ status: 'user', user: sampleUser({ id }) }) as Partial<Session> as Session;

describe('the eviction of a user’s data', () => {
  test('is reported with the number of lost changes, and then the stored count is 0', () => {
    const { onEvicted, eviction, note } = deviceWith(waiting(3));
    onEvicted(USER_ID);
    expect(eviction.get()).toEqual({ userId: USER_ID, lostChanges: 3 });
    expect(note.readWaiting()).toEqual(waiting(0));
    expect(note.readEviction()).toBeNull();
  });

  test('is not reported if no change waited, since the cache is fetched again', () => {
    const { onEvicted, eviction, note } = deviceWith(waiting(0));
    onEvicted(USER_ID);
    expect([eviction.get(), note.readEviction()]).toEqual([null, null]);
  });

  test.each([
    ['another user', waiting(3)],
    ['no user', null],
  ])('is reported without a number if the stored count is of %s', (_whom, noted) => {
    const { onEvicted, eviction } = deviceWith(noted);
    onEvicted(OTHER_ID);
    expect(eviction.get()).toEqual({ userId: OTHER_ID, lostChanges: null });
  });

  test('is reported while nobody is logged in only if the stored count names a user', () => {
    const known = deviceWith(waiting(3));
    known.onEvicted(null);
    expect(known.eviction.get()).toEqual({ userId: USER_ID, lostChanges: 3 });
    const unknown = deviceWith(null);
    unknown.onEvicted(null);
    expect([unknown.eviction.get(), unknown.note.readEviction()]).toEqual([null, null]);
  });

  test('is reported only to its user, and to nobody before the session is known', () => {
    const { onEvicted, report, eviction, session } = deviceWith(waiting(3));
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

describe('a device without a last user', () => {
  test('counts as cleared once if it was used before, and reports nothing to visitors', () => {
    const { recordCleared, takeCleared, report, eviction } = deviceWith(null);
    expect(takeCleared()).toBe(false);
    recordCleared();
    report();
    expect(eviction.get()).toBeNull();
    expect([takeCleared(), takeCleared()]).toEqual([true, false]);
  });

  test('counts as new if it was never used', () => {
    const { recordCleared, takeCleared } = deviceWith(null, { wasUsed: false });
    recordCleared();
    expect(takeCleared()).toBe(false);
  });

  test('still reports an eviction from before', () => {
    const { onEvicted, recordCleared, takeCleared, setVisible, eviction } = deviceWith(waiting(3));
    setVisible(false);
    onEvicted(USER_ID);
    recordCleared();
    expect(takeCleared()).toBe(false);
    setVisible(true);
    expect(eviction.get()).toEqual({ userId: USER_ID, lostChanges: 3 });
  });
});
