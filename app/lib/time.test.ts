import { describe, expect, test } from 'vitest';
import { spanLabel, timeLeft } from './time.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

describe('how long a poll stays open', () => {
  test.each([
    [3 * DAY - 1_000, '3 days'],
    [2 * DAY, '2 days'],
    [1.4 * DAY, '1 day'],
    [DAY - MINUTE, '1 day'],
    [8 * HOUR + 5 * MINUTE, '8 hours'],
    [HOUR, '1 hour'],
    [59 * MINUTE + 40_000, '1 hour'],
    [5 * MINUTE, '5 minutes'],
    [10_000, '1 minute'],
    [-DAY, '1 minute'],
  ])('%d ms reads "%s"', (span, words) => {
    expect(spanLabel(span)).toBe(words);
  });

  test('is counted from the given moment', () => {
    expect(timeLeft('2026-11-21T20:00:00.000Z', Date.parse('2026-11-21T12:00:00.000Z'))).toBe('8 hours left');
  });
});
