import { describe, expect, test } from 'vitest';
import { ApiError, UnreachableError } from '#app/lib/api/api-error.ts';
import {
  firstPasswordError,
  forgotPasswordError,
  resetPasswordError,
  undoChangeError,
  unsubscribeError,
  verifyEmailError,
} from './mail-messages.ts';

const EXPIRED_LINK = new ApiError(400, '', { message: 'This link has expired.', code: 'invalid_token' });
const PROXY_ERROR = new ApiError(502, 'Bad Gateway', null);
const UNREACHABLE = new UnreachableError('no network');

const MESSAGES_OF_LINKS = [
  verifyEmailError,
  undoChangeError,
  unsubscribeError,
  resetPasswordError,
  firstPasswordError,
];

describe('the error message of a call that requests a mail or uses the link in one', () => {
  test('is the server’s message if it sent one', () => {
    for (const messageOf of [forgotPasswordError, ...MESSAGES_OF_LINKS])
      expect(messageOf(EXPIRED_LINK)).toBe('This link has expired.');
  });

  test('is specific to the call if a proxy responded in place of the server', () => {
    expect(forgotPasswordError(PROXY_ERROR)).toBe('Failed to send password reset email');
    expect(verifyEmailError(PROXY_ERROR)).toBe('Failed to verify email. Please try again.');
    expect(undoChangeError(PROXY_ERROR)).toBe('Failed to undo the change. Please try again.');
    expect(unsubscribeError(PROXY_ERROR)).toBe('Failed to unsubscribe. Please try again.');
    expect(resetPasswordError(PROXY_ERROR)).toBe('Failed to reset password. Please try again.');
    expect(firstPasswordError(PROXY_ERROR)).toBe('Failed to set the password. Please try again.');
  });

  test('says that the error is unexpected if there was no response', () => {
    expect(forgotPasswordError(UNREACHABLE)).toBe('An unexpected error occurred');
    for (const messageOf of MESSAGES_OF_LINKS)
      expect(messageOf(UNREACHABLE)).toBe('An unexpected error occurred. Please try again later.');
  });
});
