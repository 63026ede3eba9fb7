import { expect, test } from 'vitest';
import { ApiError, mayHaveTakenEffect, UnreachableError } from './api-error.ts';

test('without a response of the server, a call may have taken effect', () => {
  expect(mayHaveTakenEffect(new UnreachableError('no network'))).toBe(true);
  expect(mayHaveTakenEffect(new ApiError(502, 'Bad Gateway', null))).toBe(true);
});

test('a call that was refused, or not sent, has not taken effect', () => {
  expect(mayHaveTakenEffect(new ApiError(409, '', { code: 'taken', message: '' }))).toBe(false);
  expect(mayHaveTakenEffect(new TypeError('x is undefined'))).toBe(false);
});
