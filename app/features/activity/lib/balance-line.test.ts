import { expect, test } from 'vitest';
import { balanceLine } from './balance-line.ts';

const NOW_MS = Date.parse('2026-11-23T12:00:00Z');
const entry = (daysAgo: number, delta: number, balance: number) => ({
  createdAt: new Date(NOW_MS - daysAgo * 86_400_000).toISOString(),
  delta,
  balance,
});
const options = { balance: 15, nowMs: NOW_MS };

test('the line starts at the balance of 30 days ago and steps at each later entry', () => {
  const line = balanceLine([entry(15, 5, 15), entry(40, 10, 10)], options);
  expect(line).toMatchObject({ isFullPeriod: true, fromMs: NOW_MS - 30 * 86_400_000 });
  expect(line?.points).toEqual([
    { x: 0, y: 0 },
    { x: 0.5, y: 1 },
    // The last step is to the current balance, which has not changed since.
    { x: 1, y: 1 },
  ]);
});

test('the line of a new account begins at its first entry, not 30 days ago', () => {
  const line = balanceLine([entry(2, 5, 15), entry(4, 10, 10)], options);
  expect(line).toMatchObject({ isFullPeriod: false, fromMs: NOW_MS - 4 * 86_400_000 });
  expect(line?.points).toEqual([
    { x: 0, y: 0 },
    { x: 0.5, y: 1 },
    { x: 1, y: 1 },
  ]);
});

test('a constant balance is a line in the middle, and an empty ledger has no line', () => {
  expect(balanceLine([entry(40, 15, 15)], options)?.points.map(({ y }) => y)).toEqual([0.5, 0.5]);
  expect(balanceLine([], options)).toBeNull();
});
