const NO_ROOM = 'This device has no room left to keep it. Free some space and try again.';
const TOO_MANY =
  'As many polls wait on this device as it may keep. Let some of them be posted, or discard some in the outbox.';
const ALREADY_SENT = 'It is being sent as it was. Wait for the answer before you change it.';
const SIGNED_OUT = 'You are not logged in any more. Log in and try again.';
const NO_ANSWER = "This device's storage does not answer. Close the other tabs of this app and try again.";
const UNKNOWN = 'This device could not keep it. Please try again.';

export const LOGIN_REQUIRED = { title: 'Login required', text: 'Please log in to create a poll' };

/** Why a vote or a poll could not be kept on this device. The names are those of the engine's errors. */
export function unsavedWords(error: unknown): string {
  switch (error instanceof Error ? error.name : '') {
    case 'StorageFullError':
      return NO_ROOM;
    case 'OutboxFullError':
      return TOO_MANY;
    case 'PollAlreadySentError':
      return ALREADY_SENT;
    case 'TimeLimitError':
      return NO_ANSWER;
    case 'SignedOutError':
      return SIGNED_OUT;
    default:
      return UNKNOWN;
  }
}

/** What is said of a poll that could not be kept on this device. */
export function pollFailure(error: unknown): { title: string; text: string } {
  if (error instanceof Error && error.name === 'SignedOutError') return LOGIN_REQUIRED;
  return { title: 'Failed to create poll', text: unsavedWords(error) };
}
