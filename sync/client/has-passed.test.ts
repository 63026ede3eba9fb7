import { expect, test } from 'vitest';
import { hasPassed } from './has-passed.ts';

const NOW_MS = 1_000_000;
const LONGEST_MS = 60_000;

test.each([
  ['has passed when it has come', 0, true],
  ['has not passed before', 1, false],
  ['has not passed as far ahead as it can be', LONGEST_MS, false],
  ['has passed if it was stored before the clock was set back', LONGEST_MS + 1, true],
])('a stored time %s', (_what, aheadMs, isPassed) => {
  expect(hasPassed(NOW_MS + aheadMs, NOW_MS, LONGEST_MS)).toBe(isPassed);
});
