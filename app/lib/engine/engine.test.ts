import { beforeEach, expect, test, vi } from 'vitest';
import { store } from '#app/lib/store.ts';
import type { User } from '#shared/accounts/schema.ts';
import type { Engine } from '#sync/client/engine.ts';
import { observable } from '#sync/client/observable.ts';
import type { Session } from '#sync/client/session/session-context.ts';
import {
  engineState,
  hasLoggedOutAtom,
  loadEngine,
  observeSession,
  sessionState,
  storeUser,
} from './engine.ts';

const { createEngine } = vi.hoisted(() => ({ createEngine: vi.fn<() => unknown>() }));
vi.mock('#sync/client/engine.ts', () => ({ createEngine }));
vi.mock('#sync/client/browser.ts', () => ({
  browserCapabilities() {},
  watchPageEvents() {},
  trackWaitingChanges() {},
  keepImagesOfFirstVisit() {},
  showOutcomes() {},
}));

function userSession({ needsLogin = false } = {}): Session {
  return { status: 'user', needsLogin } as Session;
}

beforeEach(() => {
  engineState.set(null);
  // Forgets the previous session.
  observeSession({ status: 'loading' });
  store.set(hasLoggedOutAtom, false);
});

test('a visitor who was never logged in does not count as logged out', () => {
  observeSession({ status: 'visitor' });
  expect(store.get(hasLoggedOutAtom)).toBe(false);
});

test('a logout, but not the expiry of a session, is remembered until the next login', () => {
  observeSession(userSession());
  observeSession(userSession({ needsLogin: true }));
  expect(store.get(hasLoggedOutAtom)).toBe(false);
  observeSession({ status: 'visitor' });
  expect(store.get(hasLoggedOutAtom)).toBe(true);
  observeSession(userSession());
  expect(store.get(hasLoggedOutAtom)).toBe(false);
});

test("the session is `loading` until the engine has loaded, then the engine's session", () => {
  const session = observable<Session>({ status: 'visitor' });
  const listener = vi.fn();
  const stop = sessionState.subscribe(listener);
  expect(sessionState.get()).toEqual({ status: 'loading' });

  engineState.set({ session } as Partial<Engine> as Engine);
  expect(listener).toHaveBeenCalledTimes(1);
  expect(sessionState.get()).toEqual({ status: 'visitor' });

  session.set(userSession());
  expect(listener).toHaveBeenCalledTimes(2);
  expect(sessionState.get()).toEqual(userSession());

  stop();
  session.set({ status: 'visitor' });
  expect(listener).toHaveBeenCalledTimes(2);
});

test('a user from a response is not stored if another user or nobody is logged in', async () => {
  const session = observable<Session>({ status: 'user', user: { id: 1 } } as Session);
  const setUser = vi.fn();
  engineState.set({ session, setUser } as Partial<Engine> as Engine);
  const [user, otherUser] = [{ id: 1 } as User, { id: 2 } as User];

  await storeUser(otherUser);
  expect(setUser).not.toHaveBeenCalled();
  await storeUser(user);
  expect(setUser).toHaveBeenCalledExactlyOnceWith(user);
  session.set({ status: 'visitor' });
  await storeUser(user);
  expect(setUser).toHaveBeenCalledTimes(1);
});

test('after a failed start, a later start that succeeds ends the failure', async () => {
  vi.resetModules();
  const { store: newStore } = await import('#app/lib/store.ts');
  const { engineFailedAtom, loadEngine: loadNewEngine } = await import('./engine.ts');
  createEngine.mockImplementationOnce(() => {
    throw new Error('the chunk could not be loaded');
  });
  await expect(loadNewEngine()).rejects.toThrow('chunk');
  expect(newStore.get(engineFailedAtom)).toBe(true);
  createEngine.mockReturnValue({ session: observable<Session>({ status: 'visitor' }), async start() {} });
  await loadNewEngine();
  expect(newStore.get(engineFailedAtom)).toBe(false);
});

test('the engine is available once it shows a user, even if the session check of the start gets no response', async () => {
  const session = observable<Session>({ status: 'loading' });
  const engine = { session, start: () => new Promise(() => {}) };
  createEngine.mockReturnValue(engine);
  const onLoaded = vi.fn();
  void loadEngine().then(onLoaded);
  await vi.waitFor(() => expect(engineState.get()).toBe(engine));
  expect(onLoaded).not.toHaveBeenCalled();
  session.set(userSession());
  expect(await loadEngine()).toBe(engine);
});
