import { describe, expect, test } from 'vitest';
import { ERROR_STATUS, type ErrorCode } from '#shared/errors.ts';
import { ApiError, UnreachableError } from './api-error.ts';
import { errorMessage, wordsForCode } from './error-message.ts';

describe('what a person reads when something fails', () => {
  test('every code of the API has a sentence of its own', () => {
    for (const code of Object.keys(ERROR_STATUS) as ErrorCode[]) {
      expect(wordsForCode(code, 'no words'), code).not.toBe('no words');
    }
  });

  test('the code decides, not the text of the answer', () => {
    const error = new ApiError(401, '', { message: 'Invalid credentials', code: 'invalid_credentials' });
    expect(error.message).toBe('401: Invalid credentials');
    expect(errorMessage(error)).toBe('That username and password do not match.');
  });

  test('an answer without a known code shows its status and text', () => {
    expect(errorMessage(new ApiError(502, 'Bad Gateway', null))).toBe('502: Bad Gateway');
  });

  test('no connection is named as such, everything else stays general', () => {
    expect(errorMessage(new UnreachableError('x'))).toContain('connection');
    expect(errorMessage(new TypeError('x is undefined'))).toBe('An unexpected error occurred');
  });
});
