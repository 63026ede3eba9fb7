import { expect, test } from 'vitest';
import { hasPassed } from './has-passed.ts';

const NOW_MS = 1_000_000;
const LONGEST_AHEAD_MS = 60_000;

test.each([
  ['has passed if it is now', 0, true],
  ['has not passed if it is in the future', 1, false],
  ['has not passed if it is as far in the future as it can be', LONGEST_AHEAD_MS, false],
  ['has passed if it is further ahead, since the clock was set back', LONGEST_AHEAD_MS + 1, true],
])('a stored time %s', (_case, aheadMs, isPassed) => {
  expect(hasPassed(NOW_MS + aheadMs, NOW_MS, LONGEST_AHEAD_MS)).toBe(isPassed);
});
