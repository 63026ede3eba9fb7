import { describe, expect, test } from 'vitest';
import { ApiError, UnreachableError } from '#app/lib/api/api-error.ts';
import {
  forgotPasswordError,
  resetPasswordError,
  setPasswordError,
  undoChangeError,
  verifyEmailError,
} from './mail-messages.ts';

const REFUSED = new ApiError(400, '', { message: 'This link has expired.', code: 'invalid_token' });
const FROM_PROXY = new ApiError(502, 'Bad Gateway', null);
const UNREACHABLE = new UnreachableError('no network');

describe('what a failed mail call says', () => {
  test('the server’s own words, where it has some', () => {
    for (const messageOf of [forgotPasswordError, verifyEmailError, resetPasswordError, undoChangeError]) {
      expect(messageOf(REFUSED)).toBe('This link has expired.');
    }
  });

  test('words of its own, when something else answered', () => {
    expect(forgotPasswordError(FROM_PROXY)).toBe('Failed to send password reset email');
    expect(verifyEmailError(FROM_PROXY)).toBe('Failed to verify email. Please try again.');
    expect(undoChangeError(FROM_PROXY)).toBe('Failed to undo the change. Please try again.');
    expect(resetPasswordError(FROM_PROXY)).toBe('Failed to reset password. Please try again.');
    expect(setPasswordError(FROM_PROXY)).toBe('Failed to set the password. Please try again.');
  });

  test('that it was unexpected, when nothing answered', () => {
    expect(forgotPasswordError(UNREACHABLE)).toBe('An unexpected error occurred');
    expect(verifyEmailError(UNREACHABLE)).toBe('An unexpected error occurred. Please try again later.');
    expect(resetPasswordError(UNREACHABLE)).toBe('An unexpected error occurred. Please try again later.');
  });
});
