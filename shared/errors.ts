import * as z from 'zod/mini';
import { NOT_ADMIN_MESSAGE, PASSKEYS_MAX } from './accounts/constants.ts';
import { UNVERIFIED_VOTES_PER_DAY_MAX } from './polls/constants.ts';

/**
 * All error codes of the API, each with its HTTP status and its default message: sent by the server unless it has a more
 * specific message, and shown by the app for an error without one. Clients must rely on the code, never on the message.
 */
const ERRORS = {
  invalid_input: { status: 400, message: 'Please check what you entered.' },
  invalid_token: { status: 400, message: 'This link is invalid or has expired.' },
  invalid_key: { status: 400, message: 'The Idempotency-Key header must be a UUID.' },
  unauthenticated: { status: 401, message: 'Please log in.' },
  invalid_credentials: { status: 401, message: 'That username and password do not match.' },
  /** A login by password needs the second step; the body has the `ticket` for it. Older clients only show the message. */
  passkey_required: {
    status: 401,
    message: 'This account needs a passkey as well as the password. Reload the page, then log in again.',
  },
  insufficient_points: { status: 402, message: 'You do not have enough points.' },
  bad_origin: { status: 403, message: 'This request came from another site. Please reload the page.' },
  not_admin: { status: 403, message: NOT_ADMIN_MESSAGE },
  wrong_password: { status: 403, message: 'This is not your current password' },
  invalid_passkey: {
    status: 403,
    message: 'That passkey does not work here. Please try again, or log in another way.',
  },
  invalid_recovery_code: { status: 403, message: 'That is not one of your unused recovery codes.' },
  /** The session was not confirmed in the last five minutes. */
  confirmation_needed: {
    status: 403,
    message: 'Please confirm it is you with your password or a passkey.',
  },
  /** Administrators need a passkey (`ADMIN_PASSKEY`): none was used in this session, or the second step must stay on. */
  passkey_needed: { status: 403, message: 'Administrators need a passkey here. Add one in the settings.' },
  suspended: { status: 403, message: 'This account is suspended.' },
  own_poll: { status: 403, message: 'You cannot vote on your own poll.' },
  not_yours: { status: 403, message: 'Only the maker of a poll can do this.' },
  own_account: { status: 403, message: 'You cannot block yourself.' },
  protected_account: { status: 403, message: 'This account is protected.' },
  not_found: { status: 404, message: 'Not found.' },
  unknown_endpoint: {
    status: 404,
    message: 'The server does not recognise this request. The app and the server may be different versions.',
  },
  taken: { status: 409, message: 'That username or email is already taken.' },
  already_voted: { status: 409, message: 'You have already voted on this poll.' },
  not_voted: { status: 409, message: 'You have not voted on this poll.' },
  change_limit: { status: 409, message: 'You can change a vote up to five times.' },
  poll_closed: { status: 409, message: 'This poll is closed.' },
  id_taken: { status: 409, message: 'Another poll has this id. Please try again.' },
  no_passkey: { status: 409, message: 'Add a passkey first.' },
  passkey_limit: { status: 409, message: `An account can have ${PASSKEYS_MAX} passkeys. Remove one first.` },
  second_step_off: { status: 409, message: 'Turn on the second step first.' },
  job_limit: {
    status: 409,
    message: 'There are too many unfinished jobs. Wait until one has finished, or stop one.',
  },
  too_late: { status: 409, message: 'It is too late to undo this.' },
  already_decided: { status: 409, message: 'Somebody else has already decided on this poll.' },
  reports_changed: {
    status: 409,
    message: 'The reports of this poll have changed. Look at them again first.',
  },
  actor_mismatch: { status: 409, message: 'Somebody else is logged in on this device.' },
  in_flight: { status: 409, message: 'This request is still being processed. Please wait a moment.' },
  too_large: { status: 413, message: 'That is too large.' },
  unsupported_type: { status: 415, message: 'This type of content is not supported.' },
  weak_password: { status: 422, message: 'That password is too easy to guess.' },
  block_limit: { status: 422, message: 'You have blocked too many people. Unblock somebody first.' },
  undecodable: { status: 422, message: 'This image could not be read. Please choose another one.' },
  key_reused: { status: 422, message: 'This was sent before with other content. Please try again.' },
  rate_limited: { status: 429, message: 'Too many attempts. Please try again later.' },
  /** The voter's email is not verified. `Retry-After` says when the next vote is possible, which may be hours later. */
  vote_limit: {
    status: 429,
    message: `Until you verify your email, you can vote ${UNVERIFIED_VOTES_PER_DAY_MAX} times in 24 hours.`,
  },
  internal: { status: 500, message: 'Something went wrong on our side. Please try again.' },
  unavailable: {
    status: 503,
    message: 'The service is not available right now. Please try again in a moment.',
  },
  busy: { status: 503, message: 'The server is busy. Please try again in a moment.' },
} as const;

export type ErrorCode = keyof typeof ERRORS;

const CODES = Object.keys(ERRORS) as [ErrorCode, ...ErrorCode[]];

export const ERROR_STATUS = Object.fromEntries(CODES.map((code) => [code, ERRORS[code].status])) as {
  readonly [Code in ErrorCode]: (typeof ERRORS)[Code]['status'];
};

export const ERROR_MESSAGES = Object.fromEntries(
  CODES.map((code) => [code, ERRORS[code].message]),
) as Readonly<Record<ErrorCode, string>>;

export const errorCodeSchema = z.enum(CODES);

/** An error code as parsed by a client; codes of newer servers become `unknown`. */
export type ReceivedErrorCode = ErrorCode | 'unknown';

/**
 * Body of every response with status 400 or above. `message` can be shown to the user; `issues`: the invalid fields of the
 * input. Fields that this version cannot read are parsed as if absent, and codes of newer servers as `unknown`, so that older
 * clients still handle the error by status and message.
 */
export const errorBodySchema = z.object({
  message: z.string(),
  code: z.catch(z.union([errorCodeSchema, z.literal('unknown')]), 'unknown'),
  requestId: z.catch(z.string(), ''),
  /** Only with `passkey_required`: proves for five minutes that the password was right. */
  ticket: z.catch(z.optional(z.string()), undefined),
  issues: z.catch(z.optional(z.array(z.object({ path: z.string(), message: z.string() }))), undefined),
});

export type ReceivedErrorBody = z.infer<typeof errorBodySchema>;

/** The body as the server sends it, always with a known code. */
export type ErrorBody = ReceivedErrorBody & { code: ErrorCode };
export type ErrorIssue = NonNullable<ErrorBody['issues']>[number];
