import * as z from 'zod/mini';
import { NOT_ADMIN_MESSAGE } from './accounts/constants.ts';

/**
 * All error codes of the API with their HTTP status. Clients must rely on the code, never on the message.
 */
export const ERROR_STATUS = {
  invalid_input: 400,
  invalid_token: 400,
  invalid_key: 400,
  unauthenticated: 401,
  invalid_credentials: 401,
  insufficient_points: 402,
  bad_origin: 403,
  not_admin: 403,
  suspended: 403,
  own_poll: 403,
  protected_account: 403,
  not_found: 404,
  unknown_endpoint: 404,
  taken: 409,
  already_voted: 409,
  not_voted: 409,
  change_limit: 409,
  poll_closed: 409,
  id_taken: 409,
  actor_mismatch: 409,
  in_flight: 409,
  too_large: 413,
  unsupported_type: 415,
  undecodable: 422,
  key_reused: 422,
  rate_limited: 429,
  internal: 500,
  unavailable: 503,
  busy: 503,
} as const;

export type ErrorCode = keyof typeof ERROR_STATUS;

/**
 * Default message of each error code: sent by the server unless it has a more specific one, and shown by the app where a
 * response has none.
 */
export const ERROR_MESSAGES: Readonly<Record<ErrorCode, string>> = {
  invalid_input: 'Please check what you entered.',
  invalid_token: 'This link is invalid or has expired.',
  invalid_key: 'The Idempotency-Key header must be a UUID.',
  unauthenticated: 'Please log in.',
  invalid_credentials: 'That username and password do not match.',
  insufficient_points: 'You do not have enough points.',
  bad_origin: 'This request came from another site. Please reload the page.',
  not_admin: NOT_ADMIN_MESSAGE,
  suspended: 'This account is suspended.',
  own_poll: 'You cannot vote on your own poll.',
  protected_account: 'This account is protected.',
  not_found: 'Not found.',
  unknown_endpoint: "The server does not know this request. Its version and the app's differ.",
  taken: 'That username or email is already taken.',
  already_voted: 'You have already voted on this poll.',
  not_voted: 'You have not voted on this poll.',
  change_limit: 'A vote can be changed five times.',
  poll_closed: 'This poll is closed.',
  id_taken: 'Another poll has this id. Please try again.',
  actor_mismatch: 'Somebody else is logged in on this device.',
  in_flight: 'This request is still being processed. Please wait a moment.',
  too_large: 'That is too large.',
  unsupported_type: 'This type of content is not supported.',
  undecodable: 'This image could not be read. Please choose another one.',
  key_reused: 'This was sent before with other content. Please try again.',
  rate_limited: 'Too many attempts. Please try again later.',
  internal: 'Something went wrong on our side. Please try again.',
  unavailable: 'The service is not available right now. Please try again in a moment.',
  busy: 'The server is busy. Please try again in a moment.',
};

const ERROR_CODES = Object.keys(ERROR_STATUS) as [ErrorCode, ...ErrorCode[]];

export const errorCodeSchema = z.enum(ERROR_CODES);

/** An error code as parsed by a client; codes of newer servers become `unknown`. */
export type ReceivedErrorCode = ErrorCode | 'unknown';

/**
 * Body of every response with status 400 or above. `message` can be shown to the user. Codes of newer servers are parsed
 * as `unknown`, so that older clients still handle them by status and message.
 */
export const errorBodySchema = z.object({
  message: z.string(),
  code: z.catch(z.union([errorCodeSchema, z.literal('unknown')]), 'unknown'),
  requestId: z.catch(z.string(), ''),
  issues: z.optional(z.array(z.object({ path: z.string(), message: z.string() }))),
});

export type ErrorBody = z.infer<typeof errorBodySchema> & { code: ErrorCode };
export type ErrorIssue = NonNullable<ErrorBody['issues']>[number];
