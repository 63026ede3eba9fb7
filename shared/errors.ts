import * as z from 'zod/mini';

/**
 * Every error code that the API can answer, with its HTTP status.
 * Programs decide on the code, never on the message.
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

const ERROR_CODES = Object.keys(ERROR_STATUS) as [ErrorCode, ...ErrorCode[]];

export const errorCodeSchema = z.enum(ERROR_CODES);

/** An error code as a client reads it: `unknown` stands for the codes of a newer server. */
export type ReceivedCode = ErrorCode | 'unknown';

/**
 * The body of every answer with a status of 400 or above. `message` is fit to show to a person. A code that this version
 * does not know is read as `unknown`, so that a newer server is understood by its status and its message.
 */
export const errorBodySchema = z.object({
  message: z.string(),
  code: z.catch(z.union([errorCodeSchema, z.literal('unknown')]), 'unknown'),
  requestId: z.catch(z.string(), ''),
  issues: z.optional(z.array(z.object({ path: z.string(), message: z.string() }))),
});

export type ErrorBody = z.infer<typeof errorBodySchema> & { code: ErrorCode };
export type ErrorIssue = NonNullable<ErrorBody['issues']>[number];
