import { describe, expect, test } from 'vitest';
import { ERROR_MESSAGES, ERROR_STATUS, type ErrorCode } from '#shared/errors.ts';
import { ApiError, UnreachableError } from './api-error.ts';
import { errorMessage, refusalMessage } from './error-message.ts';

describe('the message that a user sees for an error', () => {
  test('every error code of the API has a message', () => {
    for (const code of Object.keys(ERROR_STATUS) as ErrorCode[]) {
      expect(refusalMessage({ code, message: '' }, 'fallback'), code).not.toBe('fallback');
    }
  });

  test("the server's message takes precedence over the general one for its code", () => {
    const error = new ApiError(409, '', { message: 'This poll has expired.', code: 'poll_closed' });
    expect(error.message).toBe('409: This poll has expired.');
    expect(errorMessage(error)).toBe('This poll has expired.');
    expect(refusalMessage({ code: 'unknown', message: 'From the server.' })).toBe('From the server.');
  });

  test('an error without a message from the server has the general one for its code', () => {
    const error = new ApiError(401, '', { message: '', code: 'invalid_credentials' });
    expect(errorMessage(error)).toBe('That username and password do not match.');
    expect(refusalMessage({ code: 'poll_closed', message: '' })).toBe(ERROR_MESSAGES.poll_closed);
  });

  test('an error that the device detected has the message of this version, not the stored one', () => {
    expect(refusalMessage({ code: 'server_replaced', message: 'stored by an older version' })).toMatch(
      /has been replaced/,
    );
  });

  test('an error without a known code shows the status and text of the response', () => {
    expect(errorMessage(new ApiError(502, 'Bad Gateway', null))).toBe('502: Bad Gateway');
  });

  test('an unreachable server has a message about the connection, an unexpected error a general one', () => {
    expect(errorMessage(new UnreachableError('x'))).toContain('connection');
    expect(errorMessage(new TypeError('x is undefined'))).toBe('An unexpected error occurred');
  });
});
