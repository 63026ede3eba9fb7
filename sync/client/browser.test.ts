import { afterEach, expect, test, vi } from 'vitest';
import { BACKGROUND_DRAIN_TAG } from '#sync/protocol/worker.ts';
import { settled } from '#sync/testing/settled.ts';
import { browserCapabilities } from './browser.ts';

afterEach(() => {
  vi.unstubAllGlobals();
});

test('a request for persistent storage causes no error if the browser rejects it', async () => {
  const persist = vi.fn().mockResolvedValueOnce(true).mockRejectedValueOnce(new Error('no'));
  vi.stubGlobal('navigator', { storage: { persist } });
  const { storage } = browserCapabilities();
  await storage.persist();
  await storage.persist();
  expect(persist).toHaveBeenCalledTimes(2);
  vi.stubGlobal('navigator', {});
  await storage.persist();
});

test('a request for a background drain registers a background sync', async () => {
  const register = vi.fn(async () => {});
  vi.stubGlobal('navigator', { serviceWorker: { ready: Promise.resolve({ sync: { register } }) } });
  browserCapabilities().requestBackgroundDrain();
  await vi.waitFor(() => expect(register).toHaveBeenCalledExactlyOnceWith(BACKGROUND_DRAIN_TAG));
});

test.each([
  ['no service worker', {}],
  ['no background sync', { serviceWorker: { ready: Promise.resolve({}) } }],
  [
    'no permission for background sync',
    {
      serviceWorker: {
        ready: Promise.resolve({ sync: { register: () => Promise.reject(new Error('no')) } }),
      },
    },
  ],
])('a request for a background drain causes no error with %s', async (_case, navigator) => {
  vi.stubGlobal('navigator', navigator);
  const unhandled = vi.fn();
  process.once('unhandledRejection', unhandled);
  expect(() => browserCapabilities().requestBackgroundDrain()).not.toThrow();
  await settled();
  process.off('unhandledRejection', unhandled);
  expect(unhandled).not.toHaveBeenCalled();
});
