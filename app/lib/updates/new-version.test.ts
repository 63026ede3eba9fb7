import { beforeEach, expect, test, vi } from 'vitest';
import { store } from '#app/lib/store.ts';
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

test('the page is reloaded even if the browser cannot tell whether a new version waits', async () => {
  const serviceWorker = Object.assign(new EventTarget(), {
    controller: {},
    ready: Promise.resolve({}),
    getRegistration: () => Promise.reject(new DOMException('The operation was aborted', 'AbortError')),
  });
  vi.stubGlobal('navigator', { serviceWorker });
  const reload = vi.fn();
  vi.stubGlobal('location', { reload });
  await watchForUpdates();
  fireWaiting();

  store.get(updateAtom)?.install();
  await vi.advanceTimersByTimeAsync(RELOADED_WITHIN_MS);
  expect(reload).toHaveBeenCalledOnce();
});
