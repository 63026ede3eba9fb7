import { codeOf } from '#app/lib/api/api-error.ts';
import { errorMessage } from '#app/lib/api/error-message.ts';

export const LOGIN_REQUIRED = { title: 'Login required', text: 'Please log in to create a poll' };

/** Why a change could not be stored on this device. */
export function saveErrorMessage(error: unknown): string {
  return errorMessage(error, 'This device could not save it. Please try again.');
}

/** The toast for a poll that could not be stored on this device. */
export function pollSaveError(error: unknown): { title: string; text: string } {
  if (codeOf(error) === 'logged_out') return LOGIN_REQUIRED;
  return { title: 'Failed to create poll', text: saveErrorMessage(error) };
}
