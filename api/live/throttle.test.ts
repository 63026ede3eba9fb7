import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createThrottle } from './throttle.ts';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

/** A throttle of one value a second, and the revision and time in milliseconds of each value that it has delivered. */
function createRecordedThrottle() {
  const delivered: [rev: number, atMs: number][] = [];
  const startedAtMs = Date.now();
  const throttle = createThrottle<{ rev: number }>(1_000, ({ rev }) => {
    delivered.push([rev, Date.now() - startedAtMs]);
  });
  return { delivered, throttle };
}

test('the first value is delivered at once, then the newest value once a second', () => {
  const { delivered, throttle } = createRecordedThrottle();
  for (let rev = 1; rev <= 25; rev += 1) {
    throttle.offer('poll', { rev });
    vi.advanceTimersByTime(100);
  }
  vi.advanceTimersByTime(1_000);
  expect(delivered).toEqual([
    [1, 0],
    [10, 1_000],
    [20, 2_000],
    [25, 3_000],
  ]);
});

test('a value older than the previous one is dropped', () => {
  const { delivered, throttle } = createRecordedThrottle();
  throttle.offer('poll', { rev: 7 });
  throttle.offer('poll', { rev: 6 });
  vi.advanceTimersByTime(5_000);
  expect(delivered).toEqual([[7, 0]]);
});

test('keys are independent', () => {
  const { delivered, throttle } = createRecordedThrottle();
  throttle.offer('one', { rev: 1 });
  throttle.offer('other', { rev: 2 });
  expect(delivered).toEqual([
    [1, 0],
    [2, 0],
  ]);
});
