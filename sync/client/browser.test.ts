import { afterEach, expect, test, vi } from 'vitest';
import { BACKGROUND_DRAIN_TAG } from '#sync/protocol/worker.ts';
import { settled } from '#sync/testing/settled.ts';
import { browserCapabilities } from './browser.ts';

afterEach(() => {
  vi.unstubAllGlobals();
});

test('persistent storage is requested from the browser, and a refusal has no consequences', async () => {
  const persist = vi.fn().mockResolvedValueOnce(true).mockRejectedValueOnce(new Error('no'));
  vi.stubGlobal('navigator', { storage: { persist } });
  const { storage } = browserCapabilities();
  await storage.persist();
  await storage.persist();
  expect(persist).toHaveBeenCalledTimes(2);
  vi.stubGlobal('navigator', {});
  await storage.persist();
});

test('a background sync is registered for when the browser is online again', async () => {
  const register = vi.fn(async () => {});
  vi.stubGlobal('navigator', { serviceWorker: { ready: Promise.resolve({ sync: { register } }) } });
  browserCapabilities().requestBackgroundDrain();
  await vi.waitFor(() => expect(register).toHaveBeenCalledExactlyOnceWith(BACKGROUND_DRAIN_TAG));
});

test.each([
  ['no service worker', {}],
  ['no background sync', { serviceWorker: { ready: Promise.resolve({}) } }],
  [
    'no permission for it',
    {
      serviceWorker: {
        ready: Promise.resolve({ sync: { register: () => Promise.reject(new Error('no')) } }),
      },
    },
  ],
])('with %s a request for a background drain does nothing, and nothing fails', async (_what, navigator) => {
  vi.stubGlobal('navigator', navigator);
  const unhandled = vi.fn();
  process.once('unhandledRejection', unhandled);
  expect(() => browserCapabilities().requestBackgroundDrain()).not.toThrow();
  await settled();
  process.off('unhandledRejection', unhandled);
  expect(unhandled).not.toHaveBeenCalled();
});
