import { NOT_ADMIN } from '#shared/accounts/constants.ts';
import type { OpError } from '#sync/protocol/op.ts';
import { ApiError, codeOf } from './api-error.ts';

const WORDS: Record<Exclude<OpError['code'], 'unknown'>, string> = {
  invalid_input: 'Please check what you entered.',
  invalid_token: 'This link is invalid or has expired.',
  invalid_key: 'Something went wrong. Please try again.',
  unauthenticated: 'Please log in to go on.',
  invalid_credentials: 'That username and password do not match.',
  insufficient_points: 'You do not have enough points for this.',
  bad_origin: 'This page is out of date. Please reload it.',
  not_admin: NOT_ADMIN,
  suspended: 'This account is suspended.',
  own_poll: 'You cannot vote on your own poll.',
  protected_account: 'This account cannot be changed.',
  not_found: 'It is not there any more.',
  unknown_endpoint: "The server does not know this request. Its version and the app's differ.",
  taken: 'That username or email is already taken.',
  already_voted: 'You have already voted on this poll.',
  not_voted: 'You have not voted on this poll.',
  change_limit: 'A vote can be changed five times.',
  poll_closed: 'The poll closed before it arrived.',
  id_taken: 'Something went wrong. Please try again.',
  actor_mismatch: 'Somebody else is logged in on this device.',
  in_flight: 'This is still being sent. Please wait a moment.',
  too_large: 'That picture is too large. Please choose another one.',
  unsupported_type: 'Please choose a JPG, PNG or GIF picture.',
  undecodable: 'That picture could not be read. Please choose another one.',
  key_reused: 'Something went wrong. Please try again.',
  rate_limited: 'That was a bit too often. Please wait a moment and try again.',
  internal: 'The server had a problem. Please try again.',
  unavailable: 'The server is away for a moment. Please try again.',
  busy: 'The server is busy. Please try again in a moment.',
  server_replaced: 'It was made for another server: this one has been set up anew since.',
};

/** The words for an error code; a code that this version does not know gives `fallback`. */
export function wordsForCode(code: OpError['code'], fallback: string): string {
  return code === 'unknown' ? fallback : (WORDS[code] ?? fallback);
}

/** The words for anything that an online call throws. */
export function errorMessage(error: unknown): string {
  if (error instanceof ApiError) return wordsForCode(error.code, error.serverMessage ?? error.message);
  return codeOf(error) === 'unreachable'
    ? 'The server cannot be reached. Check your connection and try again.'
    : 'An unexpected error occurred';
}
