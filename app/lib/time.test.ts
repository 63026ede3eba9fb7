import { describe, expect, test } from 'vitest';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#shared/time.ts';
import { dateLabel, dateTimeLabel, durationLabel, groupByDay, timeLeftLabel } from './time.ts';

describe('the time that a poll remains open', () => {
  test.each([
    [3 * DAY_MS - 1_000, '3 days'],
    [2 * DAY_MS, '2 days'],
    [1.4 * DAY_MS, '1 day'],
    [DAY_MS - MINUTE_MS, '1 day'],
    [8 * HOUR_MS + 5 * MINUTE_MS, '8 hours'],
    [HOUR_MS, '1 hour'],
    [59 * MINUTE_MS + 40_000, '1 hour'],
    [5 * MINUTE_MS, '5 minutes'],
    [10_000, '1 minute'],
    [-DAY_MS, '1 minute'],
  ])('of %d ms is shown as "%s"', (spanMs, label) => {
    expect(durationLabel(spanMs)).toBe(label);
  });

  test('is counted from the given time', () => {
    expect(timeLeftLabel('2026-11-21T20:00:00.000Z', Date.parse('2026-11-21T12:00:00.000Z'))).toBe(
      '8 hours left',
    );
  });
});

test('a date in another year is shown with its year', () => {
  // Times without a zone are in the device's time zone, whichever that is.
  const nowMs = Date.parse('2026-11-22T12:00:00');
  expect(dateLabel('2026-11-14T12:00:00', nowMs)).toBe('14 Nov');
  expect(dateLabel('2025-11-14T12:00:00', nowMs)).toBe('14 Nov 2025');
  expect(dateTimeLabel('2026-11-14T12:00:30', nowMs)).toBe('14 Nov, 12:00');
  expect(dateTimeLabel('2025-11-14T12:00:30', nowMs)).toBe('14 Nov 2025, 12:00');
});

test('items are grouped by day, with names for today and yesterday', () => {
  const nowMs = new Date(2026, 10, 23, 0, 30).getTime();
  const itemAt = (...parts: [number, number, number, number]) => ({
    createdAt: new Date(...parts).toISOString(),
  });
  const items = [
    itemAt(2026, 10, 23, 0),
    itemAt(2026, 10, 22, 23),
    itemAt(2026, 10, 22, 1),
    itemAt(2025, 10, 19, 1),
  ];
  expect(groupByDay(items, nowMs).map(({ day, items: { length } }) => [day, length])).toEqual([
    ['Today', 1],
    ['Yesterday', 2],
    ['19 Nov 2025', 1],
  ]);
});
