import { expect, test, vi } from 'vitest';
import { HOUR_MS } from '#shared/time.ts';
import { voteColumns } from './vote-columns.ts';

// Summer time begins on 29 March 2026.
vi.hoisted(() => {
  process.env.TZ = 'Europe/London';
});

const FROM_MS = Date.parse('2026-11-19T14:20:00Z');
const hourAt = (ms: number, option1: number, option2 = 0) => ({
  hour: new Date(Math.floor(ms / HOUR_MS) * HOUR_MS).toISOString(),
  option1,
  option2,
});
const spanUntil = (untilMs: number) => ({ fromMs: FROM_MS, untilMs });
const daysLater = (days: number) => {
  const date = new Date(FROM_MS);
  return new Date(date.getFullYear(), date.getMonth(), date.getDate() + days, 12).getTime();
};

test('a new poll has one column, for the hour in which it was created', () => {
  const { unit, columns } = voteColumns([hourAt(FROM_MS, 2, 1)], spanUntil(FROM_MS + 60_000));
  expect(unit).toBe('hour');
  expect(columns).toEqual([{ startMs: Date.parse('2026-11-19T14:00:00Z'), option1: 2, option2: 1 }]);
});

test('each of the first hours has a column, even without votes', () => {
  const { columns } = voteColumns(
    [hourAt(FROM_MS, 1), hourAt(FROM_MS + 2 * HOUR_MS, 0, 3)],
    spanUntil(FROM_MS + 3 * HOUR_MS),
  );
  expect(columns.map(({ option1, option2 }) => [option1, option2])).toEqual([
    [1, 0],
    [0, 0],
    [0, 3],
    [0, 0],
  ]);
});

test.each([
  [23, 24, 1],
  [24, 13, 2],
  [47, 24, 2],
])('after %i hours there are %i columns of %i hours', (hours, count, width) => {
  const { unit, columns } = voteColumns([], spanUntil(FROM_MS + hours * HOUR_MS));
  expect([unit, columns.length]).toEqual(['hour', count]);
  expect((columns[1]?.startMs ?? 0) - (columns[0]?.startMs ?? 0)).toBe(width * HOUR_MS);
});

test('a span of less than 48 hours that touches 49 hours of the clock has columns of days', () => {
  const { unit, columns } = voteColumns([], spanUntil(FROM_MS + 47.75 * HOUR_MS));
  expect([unit, columns.length]).toEqual(['day', 3]);
});

test.each([
  [3, 4],
  [23, 24],
  [24, 13],
  [30, 16],
])('after %i days there are %i columns of days, which begin at midnight', (days, count) => {
  const { unit, columns } = voteColumns([], spanUntil(daysLater(days)));
  expect([unit, columns.length]).toEqual(['day', count]);
  expect(columns.map(({ startMs }) => new Date(startMs).getHours())).toEqual(columns.map(() => 0));
});

test('each vote counts in its column', () => {
  const hours = Array.from({ length: 30 }, (_, day) => hourAt(daysLater(day), 1, 2));
  const { columns } = voteColumns(hours, spanUntil(daysLater(29)));
  expect(columns.map(({ option1, option2 }) => [option1, option2])).toEqual(columns.map(() => [2, 4]));
});

test('a vote after a day of 23 hours counts in the column of its day', () => {
  const [fromMs, untilMs] = [Date.parse('2026-03-28T12:00:00Z'), Date.parse('2026-03-31T12:00:00Z')];
  const { columns } = voteColumns([hourAt(Date.parse('2026-03-30T12:00:00Z'), 1)], { fromMs, untilMs });
  expect(columns.map(({ option1 }) => option1)).toEqual([0, 0, 1, 0]);
});

test('votes outside the time span, as clocks may differ, count in the nearest column', () => {
  const { columns } = voteColumns(
    [hourAt(FROM_MS - 2 * HOUR_MS, 1), hourAt(FROM_MS + 9 * HOUR_MS, 0, 1)],
    spanUntil(FROM_MS + HOUR_MS),
  );
  expect(columns.map(({ option1, option2 }) => [option1, option2])).toEqual([
    [1, 0],
    [0, 1],
  ]);
});
