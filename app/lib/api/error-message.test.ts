import { describe, expect, test } from 'vitest';
import { ERROR_MESSAGES, ERROR_STATUS, type ErrorCode } from '#shared/errors.ts';
import { ApiError, UnreachableError } from './api-error.ts';
import { errorMessage, refusalMessage } from './error-message.ts';

describe('what a person reads when something fails', () => {
  test('every code of the API has a sentence of its own', () => {
    for (const code of Object.keys(ERROR_STATUS) as ErrorCode[]) {
      expect(refusalMessage({ code, message: '' }, 'no words'), code).not.toBe('no words');
    }
  });

  test("the server's own message comes before the general words for its code", () => {
    const error = new ApiError(409, '', { message: 'This poll has expired.', code: 'poll_closed' });
    expect(error.message).toBe('409: This poll has expired.');
    expect(errorMessage(error)).toBe('This poll has expired.');
    expect(refusalMessage({ code: 'unknown', message: 'It rains.' })).toBe('It rains.');
  });

  test('an answer without a message has the words of the catalogue for its code', () => {
    const error = new ApiError(401, '', { message: '', code: 'invalid_credentials' });
    expect(errorMessage(error)).toBe('That username and password do not match.');
    expect(refusalMessage({ code: 'poll_closed', message: '' })).toBe(ERROR_MESSAGES.poll_closed);
  });

  test('what the app found out itself has the words of this version, whatever was stored', () => {
    expect(refusalMessage({ code: 'server_replaced', message: 'of an older version' })).toMatch(
      /has been replaced/,
    );
  });

  test('an answer without a known code shows its status and text', () => {
    expect(errorMessage(new ApiError(502, 'Bad Gateway', null))).toBe('502: Bad Gateway');
  });

  test('no connection is named as such, everything else stays general', () => {
    expect(errorMessage(new UnreachableError('x'))).toContain('connection');
    expect(errorMessage(new TypeError('x is undefined'))).toBe('An unexpected error occurred');
  });
});
