import { afterEach, expect, test, vi } from 'vitest';
import { showBadge } from './badge.ts';

afterEach(() => {
  vi.unstubAllGlobals();
});

test('the icon shows the number, and no badge for 0', async () => {
  const badges: (number | null)[] = [];
  vi.stubGlobal('navigator', {
    setAppBadge: async (count: number) => badges.push(count),
    clearAppBadge: async () => badges.push(null),
  });
  await showBadge(2);
  await showBadge(0);
  expect(badges).toEqual([2, null]);
});

test.each([
  ['has no badges', {}],
  ['does not allow badges', { setAppBadge: () => Promise.reject(new Error('not installed')) }],
])('showBadge causes no error in a browser that %s', async (_, navigator) => {
  vi.stubGlobal('navigator', navigator);
  await expect(showBadge(2)).resolves.toBeUndefined();
});
