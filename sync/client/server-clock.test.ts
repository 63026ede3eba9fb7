import { expect, test } from 'vitest';
import { fakeClock } from '#sync/testing/fake-clock.ts';
import { createServerClock } from './server-clock.ts';

const EIGHT_DAYS_MS = 8 * 24 * 60 * 60 * 1_000;

function headersOf(ms: number): Headers {
  return new Headers({ Date: new Date(ms).toUTCString() });
}

test.each([EIGHT_DAYS_MS, -EIGHT_DAYS_MS])(
  'a device that is %d ms off knows the server’s time from one answer',
  (off) => {
    const clock = fakeClock();
    const remembered: number[] = [];
    const server = createServerClock(clock, (offsetMs) => remembered.push(offsetMs));
    let changes = 0;
    server.onChange(() => (changes += 1));
    const trueMs = clock.now() - off;
    server.learn(headersOf(trueMs));
    expect(Math.abs(server.now() - trueMs)).toBeLessThanOrEqual(1_000);
    expect([remembered.length, changes]).toEqual([1, 1]);

    server.learn(headersOf(trueMs));
    expect([remembered.length, changes]).toEqual([1, 1]);
  },
);

test('a pong is exact, and a header corrects it only when somebody has set this device’s clock', () => {
  const clock = fakeClock();
  const server = createServerClock(clock, () => {});
  server.learnExactly(clock.now() + 250, 100);
  expect(server.now() - clock.now()).toBe(300);
  server.learn(headersOf(clock.now()));
  expect(server.now() - clock.now()).toBe(300);
  server.learn(headersOf(clock.now() + 60_000));
  expect(server.now() - clock.now()).toBeGreaterThan(58_000);
});
