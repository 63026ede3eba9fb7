import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { systemClock } from './system-clock.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

test('a timer runs once when it is due, unless it was cancelled', () => {
  const [run, cancelled] = [vi.fn(() => systemClock.now()), vi.fn()];
  const startMs = Date.now();
  systemClock.setTimeout(run, 1_000);
  const cancel = systemClock.setTimeout(cancelled, 1_000);
  vi.advanceTimersByTime(999);
  expect(run).not.toHaveBeenCalled();
  cancel();
  vi.advanceTimersByTime(60_000);
  expect(run.mock.results.map(({ value }) => value)).toEqual([startMs + 1_000]);
  expect(cancelled).not.toHaveBeenCalled();
});
