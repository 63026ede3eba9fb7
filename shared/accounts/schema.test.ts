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
  test('accepts a username of 3 characters and a password of 8', () => {
    expect(messages(registerInputSchema, REGISTRATION)).toEqual([]);
  });

  test.each([
    [{ username: 'ab' }, 'Username must be at least 3 characters'],
    [{ username: ' ab ' }, 'Username must be at least 3 characters'],
    [{ username: 'x'.repeat(31) }, LONG_NAME],
    [{ username: 'a b c' }, 'Use letters, digits, dots, dashes and underscores only'],
    [{ email: 'nobody' }, 'Please enter a valid email'],
    [{ password: '1234567' }, 'Password must be at least 8 characters'],
  ])('with %o is refused with "%s"', (wrong, message) => {
    expect(messages(registerInputSchema, { ...REGISTRATION, ...wrong })).toEqual([message]);
  });
});

test('a login requires a username and a password', () => {
  expect(messages(loginInputSchema, { username: ' ', password: '' })).toEqual([
    'Username is required',
    'Password is required',
  ]);
});

test('the request for a password reset requires a valid email', () => {
  expect(messages(forgotPasswordSchema, { email: 'a@' })).toEqual(['Please enter a valid email address']);
});

test('a password reset requires a password of at least 8 characters', () => {
  expect(messages(resetPasswordSchema, { token: 'x', password: '1234567' })).toEqual([
    'Password must be at least 8 characters',
  ]);
});

test('an update may be empty, and its fields follow the rules of a registration', () => {
  expect(messages(updateUserSchema, {})).toEqual([]);
  expect(messages(updateUserSchema, { username: 'x'.repeat(31), email: 'nobody' })).toEqual([
    LONG_NAME,
    'Please enter a valid email',
  ]);
});
