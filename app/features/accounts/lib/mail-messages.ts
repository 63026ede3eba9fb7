import { ApiError } from '#app/lib/api/api-error.ts';

export const MAIL_NOT_SENT = 'Failed to send password reset email. Please try again later.';
export const RESET_LINK_INVALID =
  'The password reset link is invalid or has expired. Please request a new password reset link.';

const NETWORK_ERROR = 'An unexpected error occurred. Please try again later.';

/** The server's message, else `fallback`; `networkError` when there was no answer. */
function serverMessageOr(error: unknown, fallback: string, networkError: string): string {
  return error instanceof ApiError ? (error.serverMessage ?? fallback) : networkError;
}

export function forgotPasswordError(error: unknown): string {
  return serverMessageOr(error, 'Failed to send password reset email', 'An unexpected error occurred');
}

export function verifyEmailError(error: unknown): string {
  return serverMessageOr(error, 'Failed to verify email. Please try again.', NETWORK_ERROR);
}

export function resetPasswordError(error: unknown): string {
  return serverMessageOr(error, 'Failed to reset password. Please try again.', NETWORK_ERROR);
}
