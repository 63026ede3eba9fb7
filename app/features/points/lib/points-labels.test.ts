import { expect, test } from 'vitest';
import { pendingAmounts, pendingLine, pointsLabel } from './points-labels.ts';

const settled = { confirmed: 128, pendingEarned: 0, pendingSpent: 0, spendable: 128, waitingOps: 0 };

test('the points of waiting votes are shown separately and cannot be spent', () => {
  const points = { ...settled, pendingEarned: 3, waitingOps: 3 };
  expect(pendingLine(points)).toBe('+3 waiting to sync · 128 to spend');
  expect(pointsLabel(points)).toBe('128 points, 3 more once everything is sent');
});

test('the cost of a waiting poll is subtracted from the points to spend', () => {
  const points = { ...settled, pendingSpent: 10, spendable: 118, waitingOps: 1 };
  expect(pendingLine(points)).toBe('−10 waiting to sync · 118 to spend');
});

test('the points of waiting votes and the costs of waiting polls are shown separately', () => {
  const points = { ...settled, pendingEarned: 3, pendingSpent: 10, spendable: 118, waitingOps: 4 };
  expect(pendingAmounts(points)).toEqual(['+3', '−10']);
  expect(pointsLabel(points)).toBe('128 points, 3 more and 10 less once everything is sent');
});

test('without waiting changes only the points are shown', () => {
  expect(pendingAmounts(settled)).toEqual([]);
  expect(pointsLabel(settled)).toBe('128 points');
  expect(pointsLabel({ ...settled, confirmed: 1, spendable: 1 })).toBe('1 point');
  expect(pointsLabel(null)).toBe('Points');
});
