import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { FakeCookies } from '#sync/testing/fake-cookies.ts';
import { cookieNote, dropOldCopy } from './device-note.ts';

let page: FakeCookies;

beforeEach(() => {
  page = new FakeCookies();
  vi.stubGlobal('document', page);
  vi.stubGlobal('location', { protocol: 'https:' });
});

afterEach(() => {
  vi.unstubAllGlobals();
});

/** Deletes the cookie set by the script, as Safari does. */
const loseOwn = () => {
  page.cookie = 'waiting=; max-age=0';
};
/** Sets the copy, as a response of the server would. */
const answerWithCopy = (text: string) => {
  page.cookie = `waiting_copy=${text}`;
};

test('a browser counts as used once the server has marked it', () => {
  page.cookie = 'my_device=1';
  expect(cookieNote.hasBeenUsed()).toBe(false);
  page.cookie = 'device=1';
  expect(cookieNote.hasBeenUsed()).toBe(true);
});

describe('an eviction', () => {
  test('is absent at first', () => expect(cookieNote.readEviction()).toBeNull());

  test.each([
    ['with its number', { userId: 7, lostChanges: 2 }, '7.2'],
    ['without a number', { userId: 7, lostChanges: null }, '7.'],
    ['before it is known whose it was', 'unclear', 'unclear'],
  ] as const)(
    'is stored %s, as long as the count of waiting changes, until it is reported',
    (_how, eviction, text) => {
      cookieNote.noteEviction(eviction);
      expect(page.written).toBe(`evicted=${text}; path=/; max-age=34560000; samesite=strict; secure`);
      expect(cookieNote.readEviction()).toEqual(eviction);
      cookieNote.noteEviction(null);
      expect(page.cookie).toBe('');
      expect(cookieNote.readEviction()).toBeNull();
    },
  );
});

describe('the count of waiting changes', () => {
  test('is stored for 400 days, for this site only', () => {
    expect(cookieNote.readWaiting()).toBeNull();
    cookieNote.noteWaiting(7, 2);
    expect(cookieNote.readWaiting()).toEqual({ userId: 7, count: 2 });
    expect(page.written).toBe('waiting=7.2; path=/; max-age=34560000; samesite=strict; secure');
  });

  test('is read from the server’s copy when its own cookie is gone', () => {
    cookieNote.noteWaiting(7, 2);
    answerWithCopy('7.2');
    dropOldCopy();
    loseOwn();
    expect(cookieNote.readWaiting()).toEqual({ userId: 7, count: 2 });
  });

  test('is not read from an older copy', () => {
    cookieNote.noteWaiting(7, 2);
    answerWithCopy('7.2');
    cookieNote.noteWaiting(7, 0);
    loseOwn();
    expect(cookieNote.readWaiting()).toBeNull();
  });

  test('is not read from a copy that arrives after a change', () => {
    cookieNote.noteWaiting(7, 0);
    answerWithCopy('7.2');
    expect(cookieNote.readWaiting()).toEqual({ userId: 7, count: 0 });
    dropOldCopy();
    loseOwn();
    expect(cookieNote.readWaiting()).toBeNull();
  });

  test('is read from the copy alone when its own cookie was gone before', () => {
    answerWithCopy('7.2');
    dropOldCopy();
    expect(cookieNote.readWaiting()).toEqual({ userId: 7, count: 2 });
  });
});
