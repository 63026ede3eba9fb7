import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { SharedPoll } from '#shared/polls/schema.ts';
import { samplePoll } from '#sync/testing/samples.ts';
import { dropPendingVote, pendingVoteFor, pendingVoteState, storePendingVote } from './pending-vote.ts';

const sharedPoll = (slug: string): SharedPoll => ({
  ...samplePoll(),
  shareUrl: `https://polls.example.org/s/${slug}`,
});

const storedItems = new Map<string, string>();
beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal('window', new EventTarget());
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => storedItems.get(key) ?? null,
    setItem: (key: string, value: string) => storedItems.set(key, value),
    removeItem: (key: string) => storedItems.delete(key),
  });
});
afterEach(() => {
  dropPendingVote();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test('a pending vote belongs to one share link, and a later pending vote replaces it', () => {
  storePendingVote(sharedPoll('a'), 1);
  storePendingVote(sharedPoll('a'), 2);
  expect(pendingVoteFor('a')?.option).toBe(2);
  expect(pendingVoteFor('b')).toBeNull();
  dropPendingVote();
  expect(pendingVoteFor('a')).toBeNull();
});

test('a pending vote expires after an hour, or when the clock is set to more than an hour before it', () => {
  storePendingVote(sharedPoll('a'), 1);
  vi.advanceTimersByTime(3_599_000);
  expect(pendingVoteFor('a')).not.toBeNull();
  vi.advanceTimersByTime(2_000);
  expect(pendingVoteFor('a')).toBeNull();
  vi.setSystemTime(Date.now() - 2 * 3_601_000);
  expect(pendingVoteFor('a')).toBeNull();
});

test('invalid stored data counts as no pending vote', () => {
  for (const text of ['', 'null', '{"option":3}', 'x']) {
    storedItems.set('pending-vote', text);
    expect(pendingVoteState.get()).toBeNull();
  }
});

test('without storage, a pending vote lasts until the page is closed', () => {
  const throwSecurityError = () => {
    throw new DOMException('', 'SecurityError');
  };
  vi.stubGlobal('localStorage', {
    getItem: throwSecurityError,
    setItem: throwSecurityError,
    removeItem: throwSecurityError,
  });
  const listener = vi.fn();
  const stop = pendingVoteState.subscribe(listener);
  storePendingVote(sharedPoll('a'), 1);
  expect(pendingVoteFor('a')?.option).toBe(1);
  // The same object each time, as `useSyncExternalStore` requires.
  expect(pendingVoteState.get()).toBe(pendingVoteState.get());
  expect(listener).toHaveBeenCalledTimes(1);
  stop();
});

test('a pending vote that another tab has dropped is dropped in this tab too', () => {
  storePendingVote(sharedPoll('a'), 1);
  const listener = vi.fn();
  const stop = pendingVoteState.subscribe(listener);
  storedItems.delete('pending-vote');
  window.dispatchEvent(new Event('storage'));
  expect(listener).toHaveBeenCalledTimes(1);
  expect(pendingVoteState.get()).toBeNull();
  stop();
  window.dispatchEvent(new Event('storage'));
  expect(listener).toHaveBeenCalledTimes(1);
});

test('when the storage is full, a pending vote lasts until the page is closed', () => {
  storePendingVote(sharedPoll('a'), 1);
  vi.spyOn(localStorage, 'setItem').mockImplementation(() => {
    throw new DOMException('', 'QuotaExceededError');
  });
  storePendingVote(sharedPoll('b'), 2);
  expect(pendingVoteFor('b')?.option).toBe(2);
  dropPendingVote();
  expect(pendingVoteState.get()).toBeNull();
});
