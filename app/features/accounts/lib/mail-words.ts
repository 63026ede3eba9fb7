import { ApiError } from '#app/lib/api/api-error.ts';

export const MAIL_NOT_SENT = 'Failed to send password reset email. Please try again later.';
export const RESET_LINK_INVALID =
  'The password reset link is invalid or has expired. Please request a new password reset link.';

const UNEXPECTED_LATER = 'An unexpected error occurred. Please try again later.';

/** The server's own words; `refused` when it had none, `unreachable` when it did not answer at all. */
function serverWords(error: unknown, refused: string, unreachable: string): string {
  return error instanceof ApiError ? (error.serverMessage ?? refused) : unreachable;
}

export function forgotFailure(error: unknown): string {
  return serverWords(error, 'Failed to send password reset email', 'An unexpected error occurred');
}

export function verifyFailure(error: unknown): string {
  return serverWords(error, 'Failed to verify email. Please try again.', UNEXPECTED_LATER);
}

export function resetFailure(error: unknown): string {
  return serverWords(error, 'Failed to reset password. Please try again.', UNEXPECTED_LATER);
}
