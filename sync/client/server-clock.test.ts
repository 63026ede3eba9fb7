import { expect, test, vi } from 'vitest';
import { fakeClock } from '#sync/testing/fake-clock.ts';
import { createServerClock } from './server-clock.ts';

const EIGHT_DAYS_MS = 8 * 24 * 60 * 60 * 1_000;

function headersOf(ms: number): Headers {
  return new Headers({ Date: new Date(ms).toUTCString() });
}

test.each([EIGHT_DAYS_MS, -EIGHT_DAYS_MS])(
  'the server’s time is estimated from one response if the device’s clock is %d ms ahead',
  (aheadMs) => {
    const clock = fakeClock();
    const persistedOffsets: number[] = [];
    const server = createServerClock(clock, (offsetMs) => persistedOffsets.push(offsetMs));
    let changeCount = 0;
    server.onChange(() => (changeCount += 1));
    const trueMs = clock.now() - aheadMs;
    server.learnFromHeaders(headersOf(trueMs));
    expect(Math.abs(server.now() - trueMs)).toBeLessThanOrEqual(1_000);
    expect([persistedOffsets.length, changeCount]).toEqual([1, 1]);

    server.learnFromHeaders(headersOf(trueMs));
    expect([persistedOffsets.length, changeCount]).toEqual([1, 1]);
  },
);

test('a header overrides a pong only if this device’s clock was set since the pong', () => {
  const clock = fakeClock();
  const server = createServerClock(clock, () => {});
  // A pong is sent in the middle of the round trip, 50 ms before it arrives.
  server.learnFromPong(clock.now() + 250, 100);
  expect(server.now() - clock.now()).toBe(300);
  server.learnFromHeaders(headersOf(clock.now()));
  expect(server.now() - clock.now()).toBe(300);
  server.learnFromHeaders(headersOf(clock.now() + 60_000));
  expect(server.now() - clock.now()).toBe(60_500);
  server.learnFromPong(clock.now() + 60_000, 0);
  server.learnFromHeaders(headersOf(clock.now() + 60_000));
  expect(server.now() - clock.now()).toBe(60_000);
});

test('a `Date` header counts as the middle of its second', () => {
  const clock = fakeClock();
  const server = createServerClock(clock, () => {});
  server.learnFromHeaders(headersOf(clock.now()));
  expect(server.now() - clock.now()).toBe(500);
});

test('a header overrides a pong only if they differ by more than a second, and always overrides another header', () => {
  const clock = fakeClock();
  const server = createServerClock(clock, () => {});
  const offset = () => server.now() - clock.now();
  clock.advance(500);
  server.learnFromPong(clock.now(), 0);
  const date = headersOf(clock.now() + 500);
  server.learnFromHeaders(date);
  expect(offset()).toBe(0);
  clock.setBack(1);
  server.learnFromHeaders(date);
  expect(offset()).toBe(1_001);
  clock.advance(400);
  server.learnFromHeaders(date);
  expect(offset()).toBe(601);
});

test('a response without a `Date` header does not change the time', () => {
  const clock = fakeClock();
  const server = createServerClock(clock, () => {});
  server.learnFromHeaders(new Headers());
  expect(server.now()).toBe(clock.now());
});

test('only a change of the offset by more than 2 s is stored and reported', () => {
  const clock = fakeClock();
  const [persist, firstListener, secondListener] = [vi.fn(), vi.fn(), vi.fn()];
  const server = createServerClock(clock, persist);
  const unsubscribe = server.onChange(firstListener);
  server.onChange(secondListener);
  server.set(60_000);
  expect(server.now()).toBe(clock.now() + 60_000);
  server.learnFromPong(clock.now() + 62_000, 0);
  expect(persist).not.toHaveBeenCalled();
  expect(secondListener).not.toHaveBeenCalled();
  unsubscribe();
  server.learnFromPong(clock.now() + 57_999, 0);
  expect(persist).toHaveBeenCalledExactlyOnceWith(57_999);
  expect(secondListener).toHaveBeenCalledTimes(1);
  expect(firstListener).not.toHaveBeenCalled();
});

test('small changes of the offset are stored and reported once they add up to more than 2 s', () => {
  const clock = fakeClock();
  const [persist, listener] = [vi.fn(), vi.fn()];
  const server = createServerClock(clock, persist);
  server.onChange(listener);
  for (const offsetMs of [1_500, 3_000, 4_500]) server.learnFromPong(clock.now() + offsetMs, 0);
  expect(persist).toHaveBeenCalledExactlyOnceWith(3_000);
  expect(listener).toHaveBeenCalledTimes(1);
});
