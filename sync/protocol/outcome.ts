import { errorBodySchema } from '#shared/errors.ts';
import { IDEMPOTENCY_KEY_HEADER } from '#shared/http.ts';
import { type MutationAnswer, mutationAnswerSchema } from '#shared/polls/schema.ts';
import type { OpError } from './op.ts';

/** The longest wait that a server can ask for with `Retry-After`. */
export const RETRY_AFTER_MAX_MS = 60_000;

/**
 * What an answer means for the op that was sent.
 * - `applied`: it took effect (now or in an earlier attempt)
 * - `rejected`: refused for good
 * - `retry`: nothing is known or the server is in trouble; `retryAfterMs` is its own wish. `scope` tells whether
 *   the trouble is this op's alone or would meet the next op of the lane as well
 * - `blocked_auth`: the session has ended or belongs to somebody else
 * - `unclear`: a refusal that this version does not know
 */
export type Outcome =
  | { kind: 'applied'; answer: MutationAnswer }
  | { kind: 'rejected'; error: OpError }
  | { kind: 'retry'; scope: 'op' | 'lane'; retryAfterMs: number | null; error: OpError | null }
  | { kind: 'blocked_auth' }
  | { kind: 'unclear'; error: OpError };

const UNREACHABLE: Outcome = { kind: 'retry', scope: 'lane', retryAfterMs: null, error: null };

const RETRY_STATUS = new Set([408, 425, 429]);
const REJECTED_STATUS = new Set([400, 402, 404, 413, 415, 422]);
const REJECTED_CODES = new Set<OpError['code']>(['poll_closed', 'already_voted', 'own_poll', 'id_taken']);

/**
 * Reads the answer to an op. `answer` is null when none came. An answer counts only if it is the API's own
 * JSON and echoes the op's id: the 200 of a captive portal is a network failure.
 */
export function outcomeOf(
  opId: string,
  answer: { status: number; headers: Headers; body: unknown } | null,
): Outcome {
  if (answer === null) return UNREACHABLE;
  const { status, headers } = answer;
  const isOurs = headers.get(IDEMPOTENCY_KEY_HEADER) === opId;
  if (status >= 500 || RETRY_STATUS.has(status)) {
    const scope = isOurs && status === 500 ? 'op' : 'lane';
    const error = isOurs ? errorOf(status, answer.body) : null;
    return { kind: 'retry', scope, retryAfterMs: retryAfterMs(headers), error };
  }
  if (!isOurs) return UNREACHABLE;
  if (status === 200 || status === 201) {
    const body = mutationAnswerSchema.safeParse(answer.body);
    if (body.success) return { kind: 'applied', answer: body.data };
    return { kind: 'unclear', error: { status, code: 'unknown', message: 'The answer was not understood.' } };
  }
  const error = errorOf(status, answer.body);
  if (error === null) return UNREACHABLE;
  const { code } = error;
  if (status === 401 || code === 'actor_mismatch') return { kind: 'blocked_auth' };
  if (code === 'in_flight') {
    return { kind: 'retry', scope: 'op', retryAfterMs: retryAfterMs(headers), error };
  }
  if (REJECTED_STATUS.has(status) || REJECTED_CODES.has(code)) return { kind: 'rejected', error };
  return { kind: 'unclear', error };
}

/** The API's own error, or null for a body that is not one. */
function errorOf(status: number, body: unknown): OpError | null {
  const parsed = errorBodySchema.safeParse(body);
  return parsed.success ? { status, code: parsed.data.code, message: parsed.data.message } : null;
}

function retryAfterMs(headers: Headers): number | null {
  const seconds = Number(headers.get('Retry-After') ?? Number.NaN);
  if (!Number.isFinite(seconds) || seconds < 0) return null;
  return Math.min(seconds * 1000, RETRY_AFTER_MAX_MS);
}
