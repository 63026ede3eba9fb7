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
const NOT_OURS = new ApiError(502, 'Bad Gateway', null);
const UNREACHABLE = new UnreachableError('no network');

describe('what a failed mail call says', () => {
  test('the server’s own words, where it has some', () => {
    for (const words of [forgotPasswordError, verifyEmailError, resetPasswordError, undoChangeError]) {
      expect(words(REFUSED)).toBe('This link has expired.');
    }
  });

  test('words of its own, when something else answered', () => {
    expect(forgotPasswordError(NOT_OURS)).toBe('Failed to send password reset email');
    expect(verifyEmailError(NOT_OURS)).toBe('Failed to verify email. Please try again.');
    expect(undoChangeError(NOT_OURS)).toBe('Failed to undo the change. Please try again.');
    expect(resetPasswordError(NOT_OURS)).toBe('Failed to reset password. Please try again.');
    expect(setPasswordError(NOT_OURS)).toBe('Failed to set the password. Please try again.');
  });

  test('that it was unexpected, when nothing answered', () => {
    expect(forgotPasswordError(UNREACHABLE)).toBe('An unexpected error occurred');
    expect(verifyEmailError(UNREACHABLE)).toBe('An unexpected error occurred. Please try again later.');
    expect(resetPasswordError(UNREACHABLE)).toBe('An unexpected error occurred. Please try again later.');
  });
});
