import { errorBodySchema } from '#shared/errors.ts';
import { IDEMPOTENCY_KEY_HEADER } from '#shared/http.ts';
import { type MutationAnswer, mutationAnswerSchema } from '#shared/polls/schema.ts';
import type { OpError } from './op.ts';

/** The longest wait that a server can ask for with `Retry-After`. */
export const RETRY_AFTER_MAX_MS = 60_000;

/**
 * What an answer means for the op that was sent.
 * - `applied`: it took effect (now or in an earlier attempt). `answer` is null when the server said so in a form that
 *   this version cannot read; `isNew` is false when the poll of a creation existed already under its id
 * - `rejected`: refused for good
 * - `retry`: nothing is known or the server is in trouble; `retryAfterMs` is its own wish. `scope` tells whether
 *   the trouble is this op's alone or would meet the next op of the lane as well. `isFailedUpload` tells that something
 *   else than the server refused it (a gateway, say), or that no answer came for a long time
 * - `blocked_auth`: the session has ended or belongs to somebody else
 * - `unclear`: a refusal that this version does not know
 */
export type Outcome =
  | { kind: 'applied'; answer: MutationAnswer | null; isNew: boolean }
  | { kind: 'rejected'; error: OpError }
  | {
      kind: 'retry';
      scope: 'op' | 'lane';
      retryAfterMs: number | null;
      error: OpError | null;
      isFailedUpload: boolean;
      /** The device had no network: the request cannot have left it. */
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
  'id_taken',
]);

/**
 * Reads the answer to an op. `answer` is null when none came. An answer counts only if it echoes the op's id: the 200 of
 * a captive portal is a network failure. The code of a refusal decides; one that this version does not know, or a body
 * that it cannot read, leaves it to the status.
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
    return { kind: 'retry', scope, retryAfterMs: retryAfterMs(headers), error, isFailedUpload: false };
  }
  // A gateway that refuses what is sent: it can be reached, and so can the server behind it.
  if (!isOurs) return { ...UNREACHABLE, isFailedUpload: status >= 400 };
  if (status === 200 || status === 201) {
    const body = mutationAnswerSchema.safeParse(answer.body);
    return { kind: 'applied', answer: body.success ? body.data : null, isNew: status === 201 };
  }
  const error = errorOf(status, answer.body);
  const { code } = error;
  if (status === 401 || code === 'actor_mismatch') return { kind: 'blocked_auth' };
  if (code === 'in_flight') {
    return { kind: 'retry', scope: 'op', retryAfterMs: retryAfterMs(headers), error, isFailedUpload: false };
  }
  // A server that no longer has this call says nothing about the poll: a newer version of the app may get it through.
  if (code === 'unknown_endpoint') return { kind: 'unclear', error };
  if (REJECTED_STATUS.has(status) || REJECTED_CODES.has(code)) return { kind: 'rejected', error };
  return { kind: 'unclear', error };
}

function errorOf(status: number, body: unknown): OpError {
  const parsed = errorBodySchema.safeParse(body);
  if (parsed.success) return { status, code: parsed.data.code, message: parsed.data.message };
  return { status, code: 'unknown', message: `The server answered ${status}.` };
}

function retryAfterMs(headers: Headers): number | null {
  const seconds = Number(headers.get('Retry-After') ?? Number.NaN);
  if (!Number.isFinite(seconds) || seconds < 0) return null;
  return Math.min(seconds * 1000, RETRY_AFTER_MAX_MS);
}
