import { expect, test } from 'vitest';
import { isProtectedAccount, userBadge } from './rules.ts';

const USER = { id: 100, isAdmin: false, isSuspended: false, isVerified: false };

test.each([
  [
    'Admin even if the user is suspended or verified',
    { isAdmin: true, isSuspended: true, isVerified: true },
    'admin',
  ],
  ['Admin for user 15 even without the flag', { id: 15 }, 'admin'],
  ['Suspended even if the email is verified', { isSuspended: true, isVerified: true }, 'suspended'],
  ['Active if the email is verified', { isVerified: true }, 'active'],
  ['Unverified if nothing else applies', {}, 'unverified'],
] as const)('the badge of a user is %s', (_, fields, badge) => {
  expect(userBadge({ ...USER, ...fields })).toBe(badge);
});

test('administrators, user 15 and the administrator’s own account are protected', () => {
  expect(isProtectedAccount({ id: 100, isAdmin: true }, 200)).toBe(true);
  expect(isProtectedAccount({ id: 15, isAdmin: false }, 200)).toBe(true);
  expect(isProtectedAccount({ id: 200, isAdmin: false }, 200)).toBe(true);
  expect(isProtectedAccount({ id: 100, isAdmin: false }, 200)).toBe(false);
});
