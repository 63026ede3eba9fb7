import { expect, test } from 'vitest';
import { retryDelayMs } from './retry.ts';

test('the back-off window doubles from one second to thirty', () => {
  const almostOne = 1 - 1e-9;
  const windows = [1, 2, 3, 4, 5, 6, 60].map((attempts) => retryDelayMs(attempts, null, almostOne));
  expect(windows).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
});

test('the jitter covers the whole window', () => {
  expect(retryDelayMs(5, null, 0)).toBe(0);
  expect(retryDelayMs(5, null, 0.5)).toBe(8_000);
});

test('a Retry-After that is longer than the back-off delay takes precedence', () => {
  expect(retryDelayMs(1, 20_000, 0.5)).toBe(20_000);
});

test('a Retry-After that is shorter than the back-off delay is ignored', () => {
  expect(retryDelayMs(6, 1_000, 0.5)).toBe(15_000);
});
