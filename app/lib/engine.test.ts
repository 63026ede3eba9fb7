import { beforeEach, expect, test } from 'vitest';
import type { Session } from '#sync/client/types.ts';
import { hasLoggedOutAtom, mirrorSession, sessionAtom } from './engine.ts';
import { store } from './store.ts';

function signedIn(needsLogin = false): Session {
  return { status: 'user', needsLogin } as Session;
}

beforeEach(() => {
  store.set(sessionAtom, { status: 'loading' });
  store.set(hasLoggedOutAtom, false);
});

test('a visitor who follows a link has not logged out', () => {
  mirrorSession({ status: 'visitor' });
  expect(store.get(hasLoggedOutAtom)).toBe(false);
});

test('a session that is over is no log out, one that was left is, until somebody logs in', () => {
  mirrorSession(signedIn());
  mirrorSession(signedIn(true));
  expect(store.get(hasLoggedOutAtom)).toBe(false);
  mirrorSession({ status: 'visitor' });
  expect(store.get(hasLoggedOutAtom)).toBe(true);
  mirrorSession(signedIn());
  expect(store.get(hasLoggedOutAtom)).toBe(false);
});
