import { expect, test } from 'vitest';
import { initials, isAdmin } from './rules.ts';

test('isAdmin is true for users with the flag and for user 15', () => {
  expect(isAdmin({ id: 100, isAdmin: true })).toBe(true);
  expect(isAdmin({ id: 15, isAdmin: false })).toBe(true);
  expect(isAdmin({ id: 100, isAdmin: false })).toBe(false);
});

test('an avatar has up to two initials', () => {
  expect(['tomas', 'mara.lind', 'a_b-c.d', '...'].map(initials)).toEqual(['T', 'ML', 'AB', '']);
});
