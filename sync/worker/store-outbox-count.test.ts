import { afterEach, expect, test, vi } from 'vitest';
import { DAY_MS } from '#shared/time.ts';
import { storeOutboxCount } from './store-outbox-count.ts';

afterEach(() => {
  vi.unstubAllGlobals();
});

test('the number of changes in the outbox is stored in a cookie for 400 days', async () => {
  const set = vi.fn(async (_cookie: { expires: number }) => {});
  vi.stubGlobal('cookieStore', { set });
  const startMs = Date.now();
  await storeOutboxCount(7, 2);
  expect(set).toHaveBeenCalledExactlyOnceWith({
    name: 'waiting',
    value: '7.2',
    sameSite: 'strict',
    expires: expect.any(Number),
  });
  const keptMs = (set.mock.calls[0]?.[0].expires ?? 0) - startMs;
  expect(Math.round(keptMs / DAY_MS)).toBe(400);
});

test.each([
  ['has no Cookie Store API', undefined],
  ['rejects the cookie', { set: () => Promise.reject(new Error('no')) }],
])('storeOutboxCount causes no error in a browser that %s', async (_case, cookieStore) => {
  vi.stubGlobal('cookieStore', cookieStore);
  await expect(storeOutboxCount(7, 2)).resolves.toBeUndefined();
});
