import { afterEach, expect, test, vi } from 'vitest';
import { storeWaitingCount } from './store-waiting-count.ts';

afterEach(() => {
  vi.unstubAllGlobals();
});

test('the count of waiting changes is stored as on the page, for 400 days', async () => {
  const set = vi.fn(async (_cookie: { expires: number }) => {});
  vi.stubGlobal('cookieStore', { set });
  const before = Date.now();
  await storeWaitingCount(7, 2);
  expect(set).toHaveBeenCalledExactlyOnceWith({
    name: 'waiting',
    value: '7.2',
    sameSite: 'strict',
    expires: expect.any(Number),
  });
  const keptMs = (set.mock.calls[0]?.[0].expires ?? 0) - before;
  expect(Math.round(keptMs / 86_400_000)).toBe(400);
});

test.each([
  ['has no such cookies', undefined],
  ['refuses them', { set: () => Promise.reject(new Error('no')) }],
])('in a browser that %s nothing happens', async (_what, cookieStore) => {
  vi.stubGlobal('cookieStore', cookieStore);
  await expect(storeWaitingCount(7, 2)).resolves.toBeUndefined();
});
