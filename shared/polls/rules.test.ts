import { describe, expect, test } from 'vitest';
import { formatVoteCount, normalizeImagePath, pollCost, pollStatus, votePercentages } from './rules.ts';

const NOW_MS = Date.parse('2026-11-21T12:00:00.000Z');
const OPEN = { active: true, votesCount: 0, responsesWanted: 10, closesAt: '2026-11-21T12:00:00.001Z' };
const OVER = { closesAt: '2026-11-21T12:00:00.000Z' };
const FULL = { votesCount: 10 };

describe('the status of a poll, first match wins:', () => {
  test.each([
    ['inactive', { ...OPEN, ...OVER, ...FULL, active: false }],
    ['expired', { ...OPEN, ...OVER, ...FULL }],
    ['completed', { ...OPEN, ...FULL }],
    ['active', OPEN],
  ] as const)('%s', (status, poll) => {
    expect(pollStatus(poll, NOW_MS)).toBe(status);
  });
});

test('a poll costs one point for each response wanted', () => {
  expect([10, 11, 250].map(pollCost)).toEqual([10, 11, 250]);
});

test('the count 1 is “1 vote”, all others “votes”', () => {
  expect([0, 1, 2].map(formatVoteCount)).toEqual(['0 votes', '1 vote', '2 votes']);
});

test('an image path without http or a leading slash gets a slash', () => {
  expect(normalizeImagePath('uploads/a.webp')).toBe('/uploads/a.webp');
  for (const whole of ['/uploads/a.webp', 'http://x.example/a.png', 'https://x.example/a.png']) {
    expect(normalizeImagePath(whole)).toBe(whole);
  }
});

test('votePercentages add up to 100, and are 0 while nobody has voted', () => {
  expect(votePercentages({ option1: 1, option2: 2 })).toEqual({ 1: 33, 2: 67 });
  expect(votePercentages({ option1: 0, option2: 0 })).toEqual({ 1: 0, 2: 0 });
});
