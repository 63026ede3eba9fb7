import { expect, test } from 'vitest';
import { hasPassed } from './has-passed.ts';

const NOW_MS = 1_000_000;
const LONGEST_MS = 60_000;

test.each([
  ['has passed if it is now', 0, true],
  ['has not passed if it is in the future', 1, false],
  ['has not passed if it is at the largest distance in the future', LONGEST_MS, false],
  ['has passed if it is further ahead, since the clock was set back', LONGEST_MS + 1, true],
])('a stored time %s', (_case, aheadMs, isPassed) => {
  expect(hasPassed(NOW_MS + aheadMs, NOW_MS, LONGEST_MS)).toBe(isPassed);
});
