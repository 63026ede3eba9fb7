import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { countWarmUpVote, endWarmUp, isWarmingUp, startWarmUp, uncountWarmUpVote } from './warm-up.ts';

const storedItems = new Map<string, string>();

function countedVotes(): number | null {
  const text = storedItems.get('warm-up');
  return text === undefined ? null : JSON.parse(text).votedIds.length;
}

beforeEach(() => {
  storedItems.clear();
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => storedItems.get(key) ?? null,
    setItem: (key: string, text: string) => void storedItems.set(key, text),
    removeItem: (key: string) => void storedItems.delete(key),
  });
});

afterEach(() => {
  vi.unstubAllGlobals();
});

test('votes count once for each poll, and a refused vote is subtracted', () => {
  startWarmUp(7);
  for (const poll of ['a', 'b', 'b']) countWarmUpVote(7, poll);
  expect(countedVotes()).toBe(2);
  uncountWarmUpVote(7, 'b');
  uncountWarmUpVote(7, 'never counted');
  expect(countedVotes()).toBe(1);
});

test('votes of other users, and of accounts without a warm-up, do not count', () => {
  countWarmUpVote(7, 'a');
  expect(countedVotes()).toBeNull();
  startWarmUp(7);
  countWarmUpVote(8, 'a');
  expect(countedVotes()).toBe(0);
  expect([isWarmingUp(7), isWarmingUp(8)]).toEqual([true, false]);
});

test('a warm-up that has ended does not start again', () => {
  startWarmUp(7);
  endWarmUp();
  countWarmUpVote(7, 'a');
  expect(isWarmingUp(7)).toBe(false);
  expect(countedVotes()).toBeNull();
});

test.each(['no JSON', '{"userId":7}'])('there is no warm-up when the stored text is %s', (text) => {
  storedItems.set('warm-up', text);
  expect(isWarmingUp(7)).toBe(false);
  expect(() => countWarmUpVote(7, 'a')).not.toThrow();
});

test('without storage there is no warm-up, and nothing throws', () => {
  vi.stubGlobal('localStorage', undefined);
  startWarmUp(7);
  countWarmUpVote(7, 'a');
  endWarmUp();
  expect(isWarmingUp(7)).toBe(false);
});
