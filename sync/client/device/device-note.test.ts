import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { FakeCookies } from '#sync/testing/fake-cookies.ts';
import { cookieDeviceNote, deleteStaleCopy } from './device-note.ts';

let fakeDocument: FakeCookies;

beforeEach(() => {
  fakeDocument = new FakeCookies();
  vi.stubGlobal('document', fakeDocument);
  vi.stubGlobal('location', { protocol: 'https:' });
});

afterEach(() => {
  vi.unstubAllGlobals();
});

/** Deletes the cookie set by the script, as Safari does. */
const deleteOwnCookie = () => {
  fakeDocument.cookie = 'waiting=; max-age=0';
};
/** Sets the copy, as a response of the server does. */
const receiveCopy = (text: string) => {
  fakeDocument.cookie = `waiting_copy=${text}`;
};

const setCookies = (...cookies: string[]) => {
  for (const cookie of cookies) fakeDocument.cookie = cookie;
};

test('a device without cookies counts as unused and has no count of waiting changes', () => {
  expect(cookieDeviceNote.hasBeenUsed()).toBe(false);
  expect(cookieDeviceNote.readWaiting()).toBeNull();
});

test.each([
  ['theme=dark', false],
  ['logged_in=1', true],
  // Earlier servers set only this cookie.
  ['device=1', true],
])('with the cookie %s, mayHaveSession returns %s', (cookie, expected) => {
  expect(cookieDeviceNote.mayHaveSession()).toBe(false);
  setCookies(cookie);
  expect(cookieDeviceNote.mayHaveSession()).toBe(expected);
});

test('the values are found among other cookies', () => {
  setCookies('theme=dark', 'device=1', 'waiting=5000.3', 'last=1');
  expect(cookieDeviceNote.hasBeenUsed()).toBe(true);
  expect(cookieDeviceNote.readWaiting()).toEqual({ userId: 5_000, count: 3 });
});

test('cookies with similar names are ignored', () => {
  setCookies('device2=1', 'my_device=1', 'waitings=5000.3', 'awaiting=5000.3');
  expect(cookieDeviceNote.hasBeenUsed()).toBe(false);
  expect(cookieDeviceNote.readWaiting()).toBeNull();
});

describe('an eviction', () => {
  test('is null until one is stored', () => expect(cookieDeviceNote.readEviction()).toBeNull());

  test.each([
    ['number of lost changes known', { userId: 7, lostChanges: 2 }, '7.2'],
    ['number unknown', { userId: 7, lostChanges: null }, '7.'],
    ['user unknown', 'unclear', 'unclear'],
  ] as const)('is stored for up to 400 days, until it is reported: %s', (_case, eviction, text) => {
    cookieDeviceNote.noteEviction(eviction);
    expect(fakeDocument.lastWritten).toBe(
      `evicted=${text}; path=/; max-age=34560000; samesite=strict; secure`,
    );
    expect(cookieDeviceNote.readEviction()).toEqual(eviction);
    cookieDeviceNote.noteEviction(null);
    expect(fakeDocument.cookie).toBe('');
    expect(cookieDeviceNote.readEviction()).toBeNull();
  });
});

describe('the count of waiting changes', () => {
  test.each([
    ['https:', '; secure'],
    ['http:', ''],
  ])('is stored over %s for the whole site and 400 days', (protocol, secure) => {
    vi.stubGlobal('location', { protocol });
    cookieDeviceNote.noteWaiting(7, 2);
    expect(cookieDeviceNote.readWaiting()).toEqual({ userId: 7, count: 2 });
    expect(fakeDocument.lastWritten).toBe(`waiting=7.2; path=/; max-age=34560000; samesite=strict${secure}`);
  });

  test('is read from the server’s copy if its own cookie is missing', () => {
    cookieDeviceNote.noteWaiting(7, 2);
    receiveCopy('7.2');
    deleteStaleCopy();
    deleteOwnCookie();
    expect(cookieDeviceNote.readWaiting()).toEqual({ userId: 7, count: 2 });
  });

  test('is not read from a copy that is older than the last change', () => {
    cookieDeviceNote.noteWaiting(7, 2);
    receiveCopy('7.2');
    cookieDeviceNote.noteWaiting(7, 0);
    deleteOwnCookie();
    expect(cookieDeviceNote.readWaiting()).toBeNull();
  });

  test('is not read from an older copy that arrives after a change', () => {
    cookieDeviceNote.noteWaiting(7, 0);
    receiveCopy('7.2');
    expect(cookieDeviceNote.readWaiting()).toEqual({ userId: 7, count: 0 });
    deleteStaleCopy();
    deleteOwnCookie();
    expect(cookieDeviceNote.readWaiting()).toBeNull();
  });

  test('is read from the copy if its own cookie was never set', () => {
    receiveCopy('7.2');
    deleteStaleCopy();
    expect(cookieDeviceNote.readWaiting()).toEqual({ userId: 7, count: 2 });
  });
});
