import { afterEach, expect, test, vi } from 'vitest';
import { showBadge } from './badge.ts';

afterEach(() => {
  vi.unstubAllGlobals();
});

test('the icon shows the number of waiting changes, and nothing for none', async () => {
  const shown: (number | null)[] = [];
  vi.stubGlobal('navigator', {
    setAppBadge: async (count: number) => shown.push(count),
    clearAppBadge: async () => shown.push(null),
  });
  await showBadge(2);
  await showBadge(0);
  expect(shown).toEqual([2, null]);
});

test.each([
  ['has no badges', {}],
  ['refuses them', { setAppBadge: () => Promise.reject(new Error('not installed')) }],
])('in a browser that %s nothing happens', async (_, navigator) => {
  vi.stubGlobal('navigator', navigator);
  await expect(showBadge(2)).resolves.toBeUndefined();
});
