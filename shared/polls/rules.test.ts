import { expect, test } from 'vitest';
import { normalizeImagePath, pollCost, pollStatus, votePercentages } from './rules.ts';

const NOW_MS = Date.parse('2026-11-21T12:00:00.000Z');
const OPEN = { active: true, votesCount: 0, responsesWanted: 10, closesAt: '2026-11-21T12:00:00.001Z' };
const ENDED = { closesAt: '2026-11-21T12:00:00.000Z' };
const FULL = { votesCount: 10 };

test.each([
  [
    'inactive if it is deactivated, ended and full',
    'inactive',
    { ...OPEN, ...ENDED, ...FULL, active: false },
  ],
  ['expired if it is ended and full', 'expired', { ...OPEN, ...ENDED, ...FULL }],
  ['completed if it is full', 'completed', { ...OPEN, ...FULL }],
  ['active otherwise', 'active', OPEN],
] as const)('the status of a poll is %s', (_when, status, poll) => {
  expect(pollStatus(poll, NOW_MS)).toBe(status);
});

test('a poll costs one point for each response wanted', () => {
  expect([10, 11, 250].map(pollCost)).toEqual([10, 11, 250]);
});

test('an image path without a scheme or a leading slash gets a leading slash', () => {
  expect(normalizeImagePath('uploads/a.webp')).toBe('/uploads/a.webp');
  for (const complete of ['/uploads/a.webp', 'http://x.example/a.png', 'https://x.example/a.png']) {
    expect(normalizeImagePath(complete)).toBe(complete);
  }
});

test('the percentages of the options add up to 100, and are 0 without votes', () => {
  expect(votePercentages({ option1: 1, option2: 2 })).toEqual({ 1: 33, 2: 67 });
  expect(votePercentages({ option1: 0, option2: 0 })).toEqual({ 1: 0, 2: 0 });
});
