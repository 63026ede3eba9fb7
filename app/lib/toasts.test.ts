import { beforeEach, expect, test, vi } from 'vitest';
import { store } from './store.ts';
import { dismissTopic, showToast, toastsAtom } from './toasts.ts';

function titles(): string[] {
  return store.get(toastsAtom).map(({ title }) => title);
}

beforeEach(() => {
  vi.useFakeTimers();
  store.set(toastsAtom, []);
  return () => vi.useRealTimers();
});

test('a message goes by itself, one about a failure later', () => {
  showToast('success', 'Link copied');
  showToast('error', 'Login failed', null, 'auth');
  vi.advanceTimersByTime(5_000);
  expect(titles()).toEqual(['Login failed']);
  vi.advanceTimersByTime(5_000);
  expect(titles()).toEqual([]);
});

test('a failure goes at once when its reason is gone, and leaves the other messages', () => {
  showToast('error', 'Login failed', null, 'auth');
  showToast('success', 'Link copied', null, 'copy');
  dismissTopic('auth');
  expect(titles()).toEqual(['Link copied']);
});

test('a newer message of the same topic takes the place of the older, and stays its own time', () => {
  showToast('error', 'Login failed', null, 'auth');
  vi.advanceTimersByTime(9_000);
  showToast('error', 'Login failed', null, 'auth');
  vi.advanceTimersByTime(9_000);
  expect(titles()).toEqual(['Login failed']);
});
