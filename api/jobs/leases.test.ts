import { expect, test } from 'vitest';
import { retryDelayS } from './leases.ts';

test('the delay between attempts doubles up to a maximum, and is randomly shortened by up to half', () => {
  const delays = { firstS: 10, maxS: 3_600 };
  expect([1, 2, 3, 9, 10, 500].map((attempts) => retryDelayS(attempts, delays, () => 0))).toEqual([
    10, 20, 40, 2_560, 3_600, 3_600,
  ]);
  expect(retryDelayS(1, delays, () => 1)).toBe(5);
});
