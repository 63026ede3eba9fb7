import { expect, test } from 'vitest';
import { amountLabel, pendingAmounts, pendingLine, pointsLabel } from './points-labels.ts';

const NOTHING_PENDING = { confirmed: 128, pendingEarned: 0, pendingSpent: 0, spendable: 128 };

test('the points of waiting votes are shown separately and cannot be spent', () => {
  const points = { ...NOTHING_PENDING, pendingEarned: 3 };
  expect(pendingLine(points)).toBe('+3 waiting to sync · 128 to spend');
  expect(pointsLabel(points)).toBe('128 points, 3 more once everything is sent');
});

test('the cost of a waiting poll is subtracted from the points to spend', () => {
  const points = { ...NOTHING_PENDING, pendingSpent: 10, spendable: 118 };
  expect(pendingLine(points)).toBe('−10 waiting to sync · 118 to spend');
});

test('the points of waiting votes and the costs of waiting polls are shown separately', () => {
  const points = { ...NOTHING_PENDING, pendingEarned: 3, pendingSpent: 10, spendable: 118 };
  expect(pendingAmounts(points)).toEqual(['+3', '−10']);
  expect(pointsLabel(points)).toBe('128 points, 3 more and 10 less once everything is sent');
});

test('without waiting changes, only the confirmed points are shown', () => {
  expect(pendingAmounts(NOTHING_PENDING)).toEqual([]);
  expect(pointsLabel(NOTHING_PENDING)).toBe('128 points');
  expect(pointsLabel({ ...NOTHING_PENDING, confirmed: 1, spendable: 1 })).toBe('1 point');
  expect(pointsLabel(null)).toBe('Points');
});

test('an amount is shown with its sign', () => {
  expect([1, -10].map(amountLabel)).toEqual(['+1', '−10']);
});
