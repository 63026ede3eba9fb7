import { describe, expect, test } from 'vitest';
import type * as z from 'zod/mini';
import {
  forgotPasswordSchema,
  loginInputSchema,
  registerInputSchema,
  resetPasswordSchema,
  updateUserSchema,
} from './schema.ts';

const REGISTRATION = { username: 'abc', email: 'a@example.org', password: '12345678' };
const LONG_NAME = 'Username must be at most 30 characters';

function messages(schema: z.ZodMiniType, input: unknown): string[] {
  return schema.safeParse(input).error?.issues.map(({ message }) => message) ?? [];
}

describe('a registration', () => {
  test('passes with 3 characters of a name and 8 of a password', () => {
    expect(messages(registerInputSchema, REGISTRATION)).toEqual([]);
  });

  test.each([
    [{ username: 'ab' }, 'Username must be at least 3 characters'],
    [{ username: ' ab ' }, 'Username must be at least 3 characters'],
    [{ username: 'x'.repeat(31) }, LONG_NAME],
    [{ username: 'a b c' }, 'Use letters, digits, dots, dashes and underscores only'],
    [{ email: 'nobody' }, 'Please enter a valid email'],
    [{ password: '1234567' }, 'Password must be at least 8 characters'],
  ])('with %o is refused by "%s"', (wrong, message) => {
    expect(messages(registerInputSchema, { ...REGISTRATION, ...wrong })).toEqual([message]);
  });
});

test('a login needs a name and a password', () => {
  expect(messages(loginInputSchema, { username: ' ', password: '' })).toEqual([
    'Username is required',
    'Password is required',
  ]);
});

test('a forgotten password needs a valid email address', () => {
  expect(messages(forgotPasswordSchema, { email: 'a@' })).toEqual(['Please enter a valid email address']);
});

test('a new password is as long as one of a registration', () => {
  expect(messages(resetPasswordSchema, { token: 'x', password: '1234567' })).toEqual([
    'Password must be at least 8 characters',
  ]);
});

test('of oneself one changes what is named, by the rules of a registration', () => {
  expect(messages(updateUserSchema, {})).toEqual([]);
  expect(messages(updateUserSchema, { email: 'nobody' })).toEqual(['Please enter a valid email']);
});
