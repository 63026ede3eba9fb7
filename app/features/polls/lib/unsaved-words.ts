import { codeOf } from '#app/lib/api/api-error.ts';
import { errorMessage } from '#app/lib/api/error-message.ts';

export const LOGIN_REQUIRED = { title: 'Login required', text: 'Please log in to create a poll' };

/** Why a vote or a poll could not be kept on this device. */
export function unsavedWords(error: unknown): string {
  return errorMessage(error, 'This device could not keep it. Please try again.');
}

/** What is said of a poll that could not be kept on this device. */
export function pollFailure(error: unknown): { title: string; text: string } {
  if (codeOf(error) === 'signed_out') return LOGIN_REQUIRED;
  return { title: 'Failed to create poll', text: unsavedWords(error) };
}
