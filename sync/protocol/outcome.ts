import { errorBodySchema } from '#shared/errors.ts';
import { IDEMPOTENCY_KEY_HEADER } from '#shared/http.ts';
import { type MutationResponse, mutationResponseSchema } from '#shared/polls/schema.ts';
import { HOUR_MS } from '#shared/time.ts';
import type { OpError } from './op.ts';

/** The longest delay that `Retry-After` can cause for most ops. */
export const RETRY_AFTER_MAX_MS = 60_000;
/** The longest delay after the error `vote_limit`. It may be long, because only a change of the vote waits for the vote. */
const VOTE_LIMIT_RETRY_MAX_MS = HOUR_MS;

/** The longest delay that `Retry-After` can cause after an error of this code. */
export function retryAfterMaxMs(error: Pick<OpError, 'code'> | null): number {
  return error?.code === 'vote_limit' ? VOTE_LIMIT_RETRY_MAX_MS : RETRY_AFTER_MAX_MS;
}

/**
 * The meaning of a response for its op.
 * - `applied`: the op took effect, now or in an earlier attempt. `response`: the poll and the user afterwards; null if the call
 *   returns no poll and user (such as a report), or if this version cannot read them. `isNew`: whether a poll was created now (201)
 * - `rejected`: refused permanently
 * - `retry`: no response of the API, or one after which the op may succeed later (5xx, 408, 425, 429, `in_flight`);
 *   `retryAfterMs` is its `Retry-After`. `scope`: whether only this op or the whole lane is affected. `isFailedUpload`: a
 *   gateway between device and server refused the request (a 4xx other than 408, 425 and 429), or it failed only after a long
 *   time. Only creations are uploads; for other ops it has no effect
 * - `blocked_auth`: the session has ended or belongs to another user
 * - `unclear`: refused for a reason for which this version has no rule, or because the server does not have the call
 */
export type Outcome =
  | { kind: 'applied'; response: MutationResponse | null; isNew: boolean }
  | { kind: 'rejected'; error: OpError }
  | {
      kind: 'retry';
      scope: 'op' | 'lane';
      retryAfterMs: number | null;
      error: OpError | null;
      isFailedUpload: boolean;
      /** Whether the device was offline, so that the request cannot have left it. */
      isUnsent?: boolean;
    }
  | { kind: 'blocked_auth' }
  | { kind: 'unclear'; error: OpError };

const UNREACHABLE: Extract<Outcome, { kind: 'retry' }> = {
  kind: 'retry',
  scope: 'lane',
  retryAfterMs: null,
  error: null,
  isFailedUpload: false,
};

const RETRY_STATUS = new Set([408, 425, 429]);
const REJECTED_STATUS = new Set([400, 402, 404, 413, 415, 422]);
const REJECTED_CODES = new Set<OpError['code']>([
  'poll_closed',
  'already_voted',
  'not_voted',
  'change_limit',
  'own_poll',
  'own_account',
  'id_taken',
]);

/**
 * Interprets the response to an op; null if there was none. A response counts only if it echoes the op's id, so the 200 of a
 * captive portal is a network failure. The status decides, except for some error codes, mostly those of 403 and 409, of which the
 * status alone says too little.
 */
export function outcomeOf(
  opId: string,
  response: { status: number; headers: Headers; body: unknown } | null,
): Outcome {
  if (response === null) return UNREACHABLE;
  const { status, headers } = response;
  const isFromApi = headers.get(IDEMPOTENCY_KEY_HEADER) === opId;
  if (status >= 500 || RETRY_STATUS.has(status)) {
    const error = isFromApi ? errorOf(status, response.body) : null;
    const scope = isFromApi && (status === 500 || error?.code === 'vote_limit') ? 'op' : 'lane';
    return { kind: 'retry', scope, retryAfterMs: retryAfterMs(headers, error), error, isFailedUpload: false };
  }
  // A 4xx without the key is from a gateway and counts as a failed upload. The page of a captive portal counts as no network.
  if (!isFromApi) return { ...UNREACHABLE, isFailedUpload: status >= 400 };
  if (status === 204) return { kind: 'applied', response: null, isNew: false };
  if (status === 200 || status === 201) {
    const body = mutationResponseSchema.safeParse(response.body);
    return { kind: 'applied', response: body.success ? body.data : null, isNew: status === 201 };
  }
  const error = errorOf(status, response.body);
  const { code } = error;
  if (status === 401 || code === 'actor_mismatch') return { kind: 'blocked_auth' };
  if (code === 'in_flight') {
    const afterMs = retryAfterMs(headers, error);
    return { kind: 'retry', scope: 'op', retryAfterMs: afterMs, error, isFailedUpload: false };
  }
  // The server no longer has this call, but a newer version of the app may use another call.
  if (code === 'unknown_endpoint') return { kind: 'unclear', error };
  if (REJECTED_STATUS.has(status) || REJECTED_CODES.has(code)) return { kind: 'rejected', error };
  return { kind: 'unclear', error };
}

function errorOf(status: number, body: unknown): OpError {
  const parsed = errorBodySchema.safeParse(body);
  if (parsed.success) return { status, code: parsed.data.code, message: parsed.data.message };
  return { status, code: 'unknown', message: `The server responded with status ${status}.` };
}

/**
 * The `Retry-After` header (seconds, or a date by the clock of the `Date` header) in milliseconds, up to the longest delay. Null
 * if it is absent or invalid, or if it is 0, which some gateways send and which would mean no pause at all.
 */
function retryAfterMs(headers: Headers, error: OpError | null): number | null {
  const value = headers.get('Retry-After') ?? '';
  const isDate = Number.isNaN(Number(value));
  const waitMs = isDate ? Date.parse(value) - Date.parse(headers.get('Date') ?? '') : Number(value) * 1000;
  return Number.isFinite(waitMs) && waitMs > 0 ? Math.min(waitMs, retryAfterMaxMs(error)) : null;
}
