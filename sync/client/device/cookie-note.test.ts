import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { DEVICE_COOKIE } from '#shared/http.ts';
import { cookieDeviceNote } from './device-note.ts';

let written: string[];

function stubPage(cookie: string, protocol = 'https:'): void {
  vi.stubGlobal('document', {
    get cookie() {
      return cookie;
    },
    set cookie(text: string) {
      written.push(text);
    },
  });
  vi.stubGlobal('location', { protocol });
}

beforeEach(() => {
  written = [];
});

afterEach(() => {
  vi.unstubAllGlobals();
});

test('a device without cookies has not been used, and nothing waited on it', () => {
  stubPage('');
  expect(cookieDeviceNote.hasBeenUsed()).toBe(false);
  expect(cookieDeviceNote.readWaiting()).toBeNull();
});

test.each([
  ['', false],
  ['theme=dark', false],
  ['logged_in=1', true],
  // Earlier servers set only this cookie.
  ['device=1', true],
])('whether there may be a session with the cookies "%s": %s', (cookie, expected) => {
  stubPage(cookie);
  expect(cookieDeviceNote.mayHaveSession()).toBe(expected);
});

test('the stored values are found among other cookies', () => {
  stubPage(`theme=dark; ${DEVICE_COOKIE}=abc; waiting=5000.3; last=1`);
  expect(cookieDeviceNote.hasBeenUsed()).toBe(true);
  expect(cookieDeviceNote.readWaiting()).toEqual({ userId: 5_000, count: 3 });
});

test('a cookie with a similar name is another one', () => {
  stubPage(`${DEVICE_COOKIE}2=abc; old${DEVICE_COOKIE}=abc; waitings=5000.3; awaiting=5000.3`);
  expect(cookieDeviceNote.hasBeenUsed()).toBe(false);
  expect(cookieDeviceNote.readWaiting()).toBeNull();
});

test.each([
  ['https:', '; secure'],
  ['http:', ''],
])(
  'the count of waiting changes is stored for %s, for the whole site and more than a year',
  (protocol, secure) => {
    stubPage('', protocol);
    cookieDeviceNote.noteWaiting(5_000, 3);
    expect(written).toEqual([`waiting=5000.3; path=/; max-age=34560000; samesite=strict${secure}`]);
  },
);
