import { beforeEach, expect, test, vi } from 'vitest';
import { sessionState } from '#app/lib/engine/engine.ts';
import { store } from '#app/lib/store.ts';
import * as lock from '#sync/client/device/lock.ts';
import { watchForUpdates } from './new-version.ts';
import { updateAtom } from './update-offer.ts';

/** Longer than saving drafts and waiting for the reload take. */
const RELOADED_WITHIN_MS = 20_000;

const { fireWaiting, workboxListeners } = vi.hoisted(() => {
  const listeners: (() => void)[] = [];
  return { workboxListeners: listeners, fireWaiting: () => listeners.at(-1)?.() };
});

vi.mock('workbox-window', () => ({
  Workbox: class {
    addEventListener = (_type: 'waiting', listener: () => void) => workboxListeners.push(listener);
    register = async () => {};
  },
}));

beforeEach(() => {
  vi.useFakeTimers();
  return () => {
    vi.useRealTimers();
    vi.unstubAllGlobals();
    vi.restoreAllMocks();
  };
});

test('a new version is offered again when the user has cancelled the reload', async () => {
  const serviceWorker = Object.assign(new EventTarget(), {
    controller: {},
    ready: Promise.resolve({}),
    getRegistration: async () => undefined,
  });
  vi.stubGlobal('navigator', { serviceWorker });
  const reload = vi.fn();
  vi.stubGlobal('location', { reload });
  await watchForUpdates();
  fireWaiting();
  expect(store.get(updateAtom)).toMatchObject({ label: 'Update', isInstalling: false });

  store.get(updateAtom)?.install();
  expect(store.get(updateAtom)).toMatchObject({ isInstalling: true });
  await vi.advanceTimersByTimeAsync(RELOADED_WITHIN_MS);
  expect(reload).toHaveBeenCalledTimes(1);
  expect(store.get(updateAtom)).toMatchObject({ label: 'Reload', isInstalling: false });

  store.get(updateAtom)?.install();
  await vi.advanceTimersByTimeAsync(RELOADED_WITHIN_MS);
  expect(reload).toHaveBeenCalledTimes(2);

  // A still newer version is offered, too.
  fireWaiting();
  expect(store.get(updateAtom)).toMatchObject({ label: 'Update', isInstalling: false });
});

test.each([
  ['fails', () => Promise.reject(new DOMException('The operation was aborted', 'AbortError'))],
  ['does not end', () => new Promise(() => {})],
])(
  'if the activation of a new version %s, the page is reloaded, and sending is resumed',
  async (_case, getRegistration) => {
    const serviceWorker = Object.assign(new EventTarget(), {
      controller: {},
      ready: Promise.resolve({}),
      getRegistration,
    });
    const resumeSending = vi.fn();
    vi.spyOn(lock, 'stopSending').mockResolvedValue(resumeSending);
    vi.spyOn(sessionState, 'get').mockReturnValue({ status: 'user', user: { id: 1 } } as never);
    vi.stubGlobal('navigator', { serviceWorker });
    const reload = vi.fn();
    vi.stubGlobal('location', { reload });
    await watchForUpdates();
    fireWaiting();

    store.get(updateAtom)?.install();
    await vi.advanceTimersByTimeAsync(RELOADED_WITHIN_MS);
    expect(reload).toHaveBeenCalledOnce();
    expect(resumeSending).toHaveBeenCalledOnce();
  },
);
