import { afterEach, expect, test, vi } from 'vitest';
import { parseWaiting, showBadge, waitingText } from './waiting-note.ts';

afterEach(() => {
  vi.unstubAllGlobals();
});

test('what is noted is read again', () => {
  expect(parseWaiting(waitingText(5_000, 3))).toEqual({ userId: 5_000, count: 3 });
});

test.each(['', '5000', '5000.', '.3', '5000.3.1', 'a.b', '5000.-1'])('"%s" is no note', (text) => {
  expect(parseWaiting(text)).toBeNull();
});

test('the icon shows how many changes wait, and nothing once none does', async () => {
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
])('a browser that %s is left alone', async (_, navigator) => {
  vi.stubGlobal('navigator', navigator);
  await expect(showBadge(2)).resolves.toBeUndefined();
});
