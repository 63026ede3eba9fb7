import { expect, test } from 'vitest';
import { formatWaitingCount, parseWaitingCount, withQuery } from './http.ts';

test('a query has the parameters that are neither null nor undefined', () => {
  const parameters = { limit: 24, offset: 0, includeCount: true, cursor: null, search: undefined };
  expect(withQuery('/api/questions', parameters)).toBe('/api/questions?limit=24&offset=0&includeCount=true');
  expect(withQuery('/api/questions', { cursor: null })).toBe('/api/questions');
});

test.each([0, 3, 9, 10, 1_234])('a count of %i is read as it was noted', (count) => {
  expect(parseWaitingCount(formatWaitingCount(5_000, count))).toEqual({ userId: 5_000, count });
});

test.each(['', '5000', '5000.', '.3', '5000.3.1', 'a.b', '5000.-1', '12345678901.1', '1.1234567'])(
  '"%s" is no note',
  (text) => {
    expect(parseWaitingCount(text)).toBeNull();
  },
);
