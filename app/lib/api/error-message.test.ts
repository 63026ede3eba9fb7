import { describe, expect, test } from 'vitest';
import { ERROR_MESSAGES, ERROR_STATUS, type ErrorCode } from '#shared/errors.ts';
import { ApiError, UnreachableError } from './api-error.ts';
import { errorMessage, refusalMessage } from './error-message.ts';

describe('the message that a user sees for an error', () => {
  test('exists for every error code of the API', () => {
    for (const code of Object.keys(ERROR_STATUS) as ErrorCode[]) {
      expect(refusalMessage({ code, message: '' }, 'fallback'), code).not.toBe('fallback');
    }
  });

  test("is the server's message rather than the general message for its code", () => {
    const error = new ApiError(409, '', { message: 'This poll has expired.', code: 'poll_closed' });
    expect(error.message).toBe('409: This poll has expired.');
    expect(errorMessage(error)).toBe('This poll has expired.');
    expect(refusalMessage({ code: 'unknown', message: 'From the server.' })).toBe('From the server.');
  });

  test('is the general message for its code if the server sent no message', () => {
    const error = new ApiError(401, '', { message: '', code: 'invalid_credentials' });
    expect(errorMessage(error)).toBe('That username and password do not match.');
    expect(refusalMessage({ code: 'poll_closed', message: '' })).toBe(ERROR_MESSAGES.poll_closed);
  });

  test('is the message of this version, not the stored message, if the device detected the error', () => {
    expect(refusalMessage({ code: 'server_replaced', message: 'stored by an older version' })).toMatch(
      /has been replaced/,
    );
  });

  test('is the status and text of the response if the code is unknown', () => {
    expect(errorMessage(new ApiError(502, 'Bad Gateway', null))).toBe('502: Bad Gateway');
  });

  test('is about the connection if the server is unreachable, and general for an unexpected error', () => {
    expect(errorMessage(new UnreachableError('x'))).toContain('connection');
    expect(errorMessage(new TypeError('x is undefined'))).toBe('An unexpected error occurred');
  });
});
