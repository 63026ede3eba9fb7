import { EXPECTED_USER_HEADER, IDEMPOTENCY_KEY_HEADER } from '#shared/http.ts';
import { createPollPayloadSchema, OP_TYPES, type Op, votePayloadSchema } from '#sync/protocol/op.ts';
import { type Outcome, outcomeOf } from '#sync/protocol/outcome.ts';
import { checkBlobs, pollForm } from './blobs.ts';
import type { UserDb } from './db.ts';
import { isLeased } from './lease.ts';
import type { DrainContext, TransportAnswer, TransportRequest } from './types.ts';

/**
 * Sends one leased op and reads the answer; no answer is an outcome too. An op that cannot be put into a request (its
 * row or a picture is damaged) is as unclear as an answer that nobody understands: after some tries the person is asked.
 * Null, and nothing is sent, when the op was withdrawn since it was leased, by its person or by a log out, or when
 * somebody else has it by now.
 */
export async function sendOp(context: DrainContext, op: Op): Promise<Outcome | null> {
  let request: TransportRequest | null = null;
  try {
    request = await requestOf(context.db, op);
  } catch {
    request = null;
  }
  // The last look: pictures take their time to be read.
  if (!(await isLeased(context, op))) return null;
  if (request === null) {
    const message = 'What was stored on this device can no longer be read.';
    return { kind: 'unclear', error: { status: 0, code: 'unknown', message } };
  }
  let answer: TransportAnswer | null = null;
  try {
    answer = await context.transport(request);
  } catch {
    answer = null;
  }
  context.onAnswer(answer);
  return outcomeOf(op.opId, answer);
}

async function requestOf(db: UserDb, op: Op): Promise<TransportRequest> {
  const { timeoutMs } = OP_TYPES[op.type];
  const headers = {
    Accept: 'application/json',
    [IDEMPOTENCY_KEY_HEADER]: op.opId,
    [EXPECTED_USER_HEADER]: String(op.userId),
  };
  if (op.type === 'vote') {
    const { pollId, option } = votePayloadSchema.parse(op.payload);
    return {
      method: 'POST',
      path: `/api/questions/${pollId}/vote`,
      headers: { ...headers, 'Content-Type': 'application/json' },
      body: JSON.stringify({ option }),
      timeoutMs,
    };
  }
  const payload = createPollPayloadSchema.parse(op.payload);
  const blobs = await db.opBlobs.where('opId').equals(op.opId).sortBy('slot');
  await checkBlobs(blobs);
  return { method: 'POST', path: '/api/questions', headers, body: pollForm(payload, blobs), timeoutMs };
}
