import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { countWarmUpVote, endWarmUp, isWarmingUp, startWarmUp, uncountWarmUpVote } from './warm-up.ts';

const stored = new Map<string, string>();

function votes(): number | null {
  const text = stored.get('warm-up');
  return text === undefined ? null : JSON.parse(text).votedIds.length;
}

beforeEach(() => {
  stored.clear();
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, text: string) => void stored.set(key, text),
    removeItem: (key: string) => void stored.delete(key),
  });
});

afterEach(() => {
  vi.unstubAllGlobals();
});

test('each poll counts once, and a refused vote no longer', () => {
  startWarmUp(7);
  for (const poll of ['a', 'b', 'b']) countWarmUpVote(7, poll);
  expect(votes()).toBe(2);
  uncountWarmUpVote(7, 'b');
  uncountWarmUpVote(7, 'never counted');
  expect(votes()).toBe(1);
});

test('votes of others, and of accounts that are not led, change nothing', () => {
  countWarmUpVote(7, 'a');
  expect(votes()).toBeNull();
  startWarmUp(7);
  countWarmUpVote(8, 'a');
  expect(votes()).toBe(0);
  expect([isWarmingUp(7), isWarmingUp(8)]).toEqual([true, false]);
});

test('once it has ended it does not begin again', () => {
  startWarmUp(7);
  endWarmUp();
  countWarmUpVote(7, 'a');
  expect(isWarmingUp(7)).toBe(false);
  expect(votes()).toBeNull();
});

test.each(['no JSON', '{}', 'null', '{"userId":7}', '{"userId":"7","votedIds":[]}'])(
  'nobody is led by what is stored as %s',
  (text) => {
    stored.set('warm-up', text);
    expect(isWarmingUp(7)).toBe(false);
    expect(() => countWarmUpVote(7, 'a')).not.toThrow();
  },
);

test('without storage nobody is led, and nothing fails', () => {
  vi.stubGlobal('localStorage', undefined);
  startWarmUp(7);
  countWarmUpVote(7, 'a');
  endWarmUp();
  expect(isWarmingUp(7)).toBe(false);
});
