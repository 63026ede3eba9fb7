import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { SharedPoll } from '#shared/polls/schema.ts';
import { samplePoll } from '#sync/testing/samples.ts';
import { dropPendingVote, keepPendingVote, pendingVoteFor, pendingVoteState } from './pending-vote.ts';

const shared = (slug: string): SharedPoll => ({
  ...samplePoll(),
  shareUrl: `https://polls.example.org/s/${slug}`,
});

const stored = new Map<string, string>();
beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, value: string) => stored.set(key, value),
    removeItem: (key: string) => stored.delete(key),
  });
});
afterEach(() => {
  dropPendingVote();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test('a vote is pending for its own share link only, and the last choice replaces earlier ones', () => {
  keepPendingVote(shared('a'), 1);
  keepPendingVote(shared('a'), 2);
  expect(pendingVoteFor('a')?.option).toBe(2);
  expect(pendingVoteFor('b')).toBeNull();
  dropPendingVote();
  expect(pendingVoteFor('a')).toBeNull();
});

test('a pending vote expires after an hour, or when the clock is set back', () => {
  keepPendingVote(shared('a'), 1);
  vi.advanceTimersByTime(3_599_000);
  expect(pendingVoteFor('a')).not.toBeNull();
  vi.advanceTimersByTime(2_000);
  expect(pendingVoteFor('a')).toBeNull();
  vi.setSystemTime(Date.now() - 10_000_000);
  expect(pendingVoteFor('a')).toBeNull();
});

test('invalid stored data counts as no pending vote', () => {
  for (const text of ['', 'null', '{"option":3}', 'x']) {
    stored.set('pending-vote', text);
    expect(pendingVoteState.get()).toBeNull();
  }
});

test('without storage a pending vote lasts until the page is closed, and subscribers are notified', () => {
  const refuse = () => {
    throw new DOMException('', 'SecurityError');
  };
  vi.stubGlobal('localStorage', { getItem: refuse, setItem: refuse, removeItem: refuse });
  vi.spyOn(console, 'warn').mockImplementation(() => {});
  const listener = vi.fn();
  const stop = pendingVoteState.subscribe(listener);
  keepPendingVote(shared('a'), 1);
  expect(pendingVoteFor('a')?.option).toBe(1);
  expect(pendingVoteState.get()).toBe(pendingVoteState.get());
  expect(listener).toHaveBeenCalledTimes(1);
  stop();
});
