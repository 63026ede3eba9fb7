import { expect, test } from 'vitest';
import { retryDelayS } from './leases.ts';

test('each attempt waits about twice as long as the one before, up to a limit', () => {
  const limits = { firstS: 10, maxS: 3_600 };
  expect([1, 2, 3, 9, 10, 500].map((attempts) => retryDelayS(attempts, limits, () => 0))).toEqual([
    10, 20, 40, 2_560, 3_600, 3_600,
  ]);
  expect(retryDelayS(1, limits, () => 1)).toBe(5);
});
