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

test('a device without cookies counts as unused and has no count of waiting changes', () => {
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
])('with the cookies "%s", mayHaveSession returns %s', (cookie, expected) => {
  stubPage(cookie);
  expect(cookieDeviceNote.mayHaveSession()).toBe(expected);
});

test('the values are found among other cookies', () => {
  stubPage(`theme=dark; ${DEVICE_COOKIE}=abc; waiting=5000.3; last=1`);
  expect(cookieDeviceNote.hasBeenUsed()).toBe(true);
  expect(cookieDeviceNote.readWaiting()).toEqual({ userId: 5_000, count: 3 });
});

test('cookies with similar names are ignored', () => {
  stubPage(`${DEVICE_COOKIE}2=abc; old${DEVICE_COOKIE}=abc; waitings=5000.3; awaiting=5000.3`);
  expect(cookieDeviceNote.hasBeenUsed()).toBe(false);
  expect(cookieDeviceNote.readWaiting()).toBeNull();
});

test.each([
  ['https:', '; secure'],
  ['http:', ''],
])('the count of waiting changes is stored over %s for the whole site and 400 days', (protocol, secure) => {
  stubPage('', protocol);
  cookieDeviceNote.noteWaiting(5_000, 3);
  expect(written).toEqual([`waiting=5000.3; path=/; max-age=34560000; samesite=strict${secure}`]);
});
