import { expect, test } from 'vitest';
import type { SearchSort } from '#shared/explore/constants.ts';
import { isAfter } from './search-cursor.ts';

const [LOWER, HIGHER] = ['0190a0b0-0000-7000-8000-000000000001', '0190a0b0-0000-7000-8000-000000000002'];

/** Times in their order, as the database writes them. */
const TIMES = [
  '2025-12-31 23:59:59.999999+00',
  '2026-01-01 00:00:00+00',
  '2026-01-01 00:00:00.000001+00',
  '2026-01-01 00:00:00.1+00',
  '2026-01-01 00:00:00.12+00',
  '2026-01-01 00:00:01+00',
];

test.each<[SearchSort, string[]]>([
  ['ending', TIMES],
  ['newest', TIMES.toReversed()],
  ['votes', ['100', '99', '12', '2', '0']],
])('isAfter follows the order of the values when sorting by %s', (sort, values) => {
  for (const [index, value] of values.entries()) {
    const cursor = { value, id: LOWER };
    for (const [otherIndex, other] of values.entries())
      if (otherIndex !== index)
        expect(isAfter({ value: other, id: LOWER }, cursor, sort)).toBe(otherIndex > index);
  }
});

test.each<[SearchSort, boolean]>([
  ['ending', true],
  ['newest', false],
  ['votes', false],
])('when sorting equal values by %s, a higher id comes later: %s', (sort, isLater) => {
  const value = sort === 'votes' ? '5' : '2026-01-01 00:00:00+00';
  expect(isAfter({ value, id: HIGHER }, { value, id: LOWER }, sort)).toBe(isLater);
  expect(isAfter({ value, id: LOWER }, { value, id: HIGHER }, sort)).toBe(!isLater);
  expect(isAfter({ value, id: LOWER }, { value, id: LOWER }, sort)).toBe(false);
});
