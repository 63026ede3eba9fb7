import { beforeEach, expect, test, vi } from 'vitest';
import { store } from './store.ts';
import { dismissTopic, keepToast, newestToastId, releaseToast, showToast, toastsAtom } from './toasts.ts';

function titles(): string[] {
  return store.get(toastsAtom).map(({ title }) => title);
}

beforeEach(() => {
  vi.useFakeTimers();
  store.set(toastsAtom, []);
  return () => vi.useRealTimers();
});

test('a toast disappears after 5 s, and after 10 s if it is an error or has a button', () => {
  showToast('success', 'Link copied');
  showToast('success', 'Draft deleted', null, { action: { label: 'Undo', run: () => {} } });
  showToast('error', 'Login failed', null, { topic: 'auth' });
  vi.advanceTimersByTime(5_000);
  expect(titles()).toEqual(['Draft deleted', 'Login failed']);
  vi.advanceTimersByTime(5_000);
  expect(titles()).toEqual([]);
});

test('dismissing a topic removes its toast and no others', () => {
  showToast('error', 'Login failed', null, { topic: 'auth' });
  showToast('success', 'Link copied', null, { topic: 'copy' });
  dismissTopic('auth');
  expect(titles()).toEqual(['Link copied']);
});

test('a new toast replaces the older toast of its topic, and is shown for its full time', () => {
  showToast('error', 'Login failed', null, { topic: 'auth' });
  vi.advanceTimersByTime(9_000);
  showToast('error', 'Sign-up failed', null, { topic: 'auth' });
  expect(titles()).toEqual(['Sign-up failed']);
  vi.advanceTimersByTime(9_000);
  expect(titles()).toEqual(['Sign-up failed']);
});

test('a toast with the pointer or the focus stays, and disappears 5 s after they have left', () => {
  showToast('success', 'Draft deleted', null, { action: { label: 'Undo', run: () => {} } });
  const id = newestToastId();
  vi.advanceTimersByTime(9_000);
  keepToast(id);
  vi.advanceTimersByTime(60_000);
  expect(titles()).toEqual(['Draft deleted']);
  releaseToast(id);
  vi.advanceTimersByTime(4_999);
  expect(titles()).toEqual(['Draft deleted']);
  vi.advanceTimersByTime(1);
  expect(titles()).toEqual([]);
});
