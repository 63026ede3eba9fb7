import { ApiError } from '#app/lib/api/api-error.ts';

export const MAIL_NOT_SENT = 'Failed to send password reset email. Please try again later.';
export const RESET_LINK_INVALID =
  'The password reset link is invalid or has expired. Please request a new password reset link.';
export const PASSWORD_MAY_BE_SET = 'Your password may already be set. Try to log in with it.';

const NETWORK_ERROR = 'An unexpected error occurred. Please try again later.';

/** Returns a function from an error to its message: the server's, else `fallback`; `networkError` if there was no response. */
function describeWith(fallback: string, networkError = NETWORK_ERROR) {
  return (error: unknown) => (error instanceof ApiError ? (error.serverMessage ?? fallback) : networkError);
}

export const forgotPasswordError = describeWith(
  'Failed to send password reset email',
  'An unexpected error occurred',
);
export const verifyEmailError = describeWith('Failed to verify email. Please try again.');
export const undoChangeError = describeWith('Failed to undo the change. Please try again.');
export const unsubscribeError = describeWith('Failed to unsubscribe. Please try again.');
export const firstPasswordError = describeWith('Failed to set the password. Please try again.');
export const resetPasswordError = describeWith('Failed to reset password. Please try again.');
