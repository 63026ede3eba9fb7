import { expect, test, vi } from 'vitest';
import { mailsLabel, pageChoices, rangeLabel, shortTarget, totalLabel, utcDayLabel } from './labels.ts';

// West of Greenwich, a date in UTC begins on the day before.
vi.hoisted(() => {
  process.env.TZ = 'America/New_York';
});

test('the label of a page shows its rows and the total, with a plus sign if not all rows were counted', () => {
  expect(rangeLabel({ page: 1, limit: 10, total: 1284, pages: 129 })).toBe('1 to 10 of 1,284');
  expect(rangeLabel({ page: 2, limit: 10, total: 13, pages: 2 })).toBe('11 to 13 of 13');
  expect(rangeLabel({ page: 1, limit: 10, total: 1000, pages: 100, hasMoreThanTotal: true })).toBe(
    '1 to 10 of 1,000+',
  );
  expect(totalLabel({ total: 1284 })).toBe('1,284');
  expect(totalLabel({ total: 1000, hasMoreThanTotal: true })).toBe('1,000+');
});

test.each([
  [1, 1, '1'],
  [1, 4, '1 2 3 4'],
  [1, 129, '1 2 3 … 129'],
  [4, 129, '1 2 3 4 5 … 129'],
  [50, 129, '1 … 49 50 51 … 129'],
  [129, 129, '1 … 127 128 129'],
  [126, 129, '1 … 125 126 127 128 129'],
])('page %d of %d links to the pages %s', (page, pages, choices) => {
  expect(
    pageChoices(page, pages)
      .map((choice) => choice ?? '…')
      .join(' '),
  ).toBe(choices);
});

test('a day is formatted in UTC', () => {
  expect(utcDayLabel('2026-11-08')).toBe('8 Nov');
});

test('the number of waiting mails is shown with its noun', () => {
  expect([0, 1, 1200].map(mailsLabel)).toEqual([
    'No emails waiting',
    '1 email waiting',
    '1,200 emails waiting',
  ]);
});

test('a UUID is shortened to its end, and a short id is shown completely', () => {
  expect(shortTarget('poll 01a200dd-ebb8-7104-831c-07635fa8dd8d')).toBe('poll …5fa8dd8d');
  expect(shortTarget('user 104')).toBe('user 104');
});
