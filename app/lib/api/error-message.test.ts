import { describe, expect, test } from 'vitest';
import { logIn } from '#shared/accounts/contract.ts';
import { ERROR_MESSAGES, ERROR_STATUS, type ErrorCode } from '#shared/errors.ts';
import { parseResponse } from './api-client.ts';
import { ApiError, UnreachableError } from './api-error.ts';
import { errorMessage, refusalMessage } from './error-message.ts';

describe('the message that a user sees for an error', () => {
  test('exists for every error code of the API', () => {
    for (const code of Object.keys(ERROR_STATUS) as ErrorCode[]) {
      expect(refusalMessage({ code, message: '' }, ''), code).toMatch(/\S/);
    }
  });

  test("is the server's message rather than the default message for its code", () => {
    const error = new ApiError(409, '', { message: 'This poll has expired.', code: 'poll_closed' });
    expect(errorMessage(error)).toBe('This poll has expired.');
    expect(refusalMessage({ code: 'unknown', message: 'From the server.' })).toBe('From the server.');
  });

  test('is the default message for its code if the message from the server is empty', () => {
    const error = new ApiError(401, '', { message: '', code: 'invalid_credentials' });
    expect(errorMessage(error)).toBe('That username and password do not match.');
    expect(refusalMessage({ code: 'poll_closed', message: '' })).toBe(ERROR_MESSAGES.poll_closed);
  });

  test("is this version's message, not the stored message, for a change made on a server that was replaced", () => {
    expect(refusalMessage({ code: 'server_replaced', message: 'stored by an older version' })).toMatch(
      /has been replaced/,
    );
  });

  test('contains nothing of the HTML page that a proxy sent', () => {
    const messageOf = (status: number) => {
      try {
        return parseResponse(logIn, { ok: false, status, statusText: '', text: '<html>nginx</html>' });
      } catch (error) {
        return errorMessage(error);
      }
    };
    expect(messageOf(502)).toBe(ERROR_MESSAGES.unavailable);
    expect(messageOf(413)).toBe(ERROR_MESSAGES.too_large);
    expect(messageOf(429)).toBe(ERROR_MESSAGES.rate_limited);
    expect(messageOf(418)).toBe('An unexpected error occurred');
  });

  test('is about the connection if the server is unreachable, and unspecific for an unexpected error', () => {
    expect(errorMessage(new UnreachableError('x'))).toContain('connection');
    expect(errorMessage(new TypeError('x is undefined'))).toBe('An unexpected error occurred');
  });
});
