import { expect, test } from 'vitest';
import { passwordStrength } from './password-strength.ts';

const ACCOUNT = { username: 'nina.k', email: 'nina@example.org' };

test.each([
  ['tall', 1, 'Too short'],
  ['password1', 1, 'Too easy'],
  ['Nina2024!', 1, 'Too easy'],
  ['7Hq9vLp2', 2, 'Could be better'],
  ['tall lamp', 3, 'Good'],
  ['tall lamp, cold river', 4, 'Strong'],
])('%j fills %i of four bars: %s', (password, bars, label) => {
  expect(passwordStrength(password, ACCOUNT)).toMatchObject({ bars, label });
});

test('a password with the user’s name is too easy, unless the user is unknown', () => {
  expect(passwordStrength('Nina2024!', ACCOUNT)).toMatchObject({
    label: 'Too easy',
    hint: 'it has your name in it',
  });
  expect(passwordStrength('Nina2024!', null).label).not.toBe('Too easy');
});

test('the user’s name as a smaller part of a password makes it weaker', () => {
  const password = 'ninaQv7x2';
  expect(passwordStrength(password, null).bars).toBe(3);
  expect(passwordStrength(password, ACCOUNT).bars).toBe(2);
});
