import { NOT_ADMIN } from '#shared/accounts/constants.ts';
import { ERROR_STATUS, type ErrorCode, type ErrorIssue } from '#shared/errors.ts';

/** What a person reads when the one who throws has nothing better to say. */
const DEFAULT_MESSAGES: Readonly<Record<ErrorCode, string>> = {
  invalid_input: 'Please check what you entered.',
  invalid_token: 'This link is invalid or has expired.',
  invalid_key: 'The Idempotency-Key header must be a UUID.',
  unauthenticated: 'Please log in.',
  invalid_credentials: 'Wrong username or password.',
  insufficient_points: 'You do not have enough points.',
  bad_origin: 'This request came from another site.',
  not_admin: NOT_ADMIN,
  suspended: 'This account is suspended.',
  own_poll: 'You cannot vote on your own poll.',
  protected_account: 'This account is protected.',
  not_found: 'Not found.',
  unknown_endpoint: 'This server has no such call.',
  taken: 'That username or email is already taken.',
  already_voted: 'You have already voted on this poll.',
  not_voted: 'You have not voted on this poll.',
  change_limit: 'A vote can be changed five times.',
  poll_closed: 'This poll is closed.',
  id_taken: 'Another poll has this id.',
  actor_mismatch: 'You are signed in as someone else.',
  in_flight: 'The same request is still being worked on.',
  too_large: 'That is too large.',
  unsupported_type: 'This type of content is not supported.',
  undecodable: 'This picture cannot be read.',
  key_reused: 'This Idempotency-Key belongs to another request.',
  rate_limited: 'Too many attempts. Please try again later.',
  internal: 'Something went wrong on our side. Please try again.',
  unavailable: 'The service is not available right now. Please try again in a moment.',
  busy: 'The server is busy. Please try again in a moment.',
};

type AppErrorOptions = {
  message?: string;
  issues?: readonly ErrorIssue[];
  /** Sent as `Retry-After`. */
  retryAfterSeconds?: number;
  /** Logged, never sent. */
  cause?: unknown;
};

/** An answer with an error code. Its message is fit to show to a person. */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly issues: readonly ErrorIssue[] | undefined;
  readonly retryAfterSeconds: number | undefined;

  constructor(code: ErrorCode, options: AppErrorOptions = {}) {
    super(options.message ?? DEFAULT_MESSAGES[code], { cause: options.cause });
    this.name = 'AppError';
    this.code = code;
    this.issues = options.issues;
    this.retryAfterSeconds = options.retryAfterSeconds;
  }

  get status(): (typeof ERROR_STATUS)[ErrorCode] {
    return ERROR_STATUS[this.code];
  }
}
