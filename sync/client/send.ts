import { EXPECTED_USER_HEADER, IDEMPOTENCY_KEY_HEADER } from '#shared/http.ts';
import { OP_TYPES, type Op } from '#sync/protocol/op.ts';
import { type Outcome, outcomeOf } from '#sync/protocol/outcome.ts';
import { pollForm } from './blobs.ts';
import type { UserDb } from './db.ts';
import type { DrainContext, TransportAnswer, TransportRequest } from './types.ts';

/** Sends one leased op and reads the answer; no answer is an outcome too. */
export async function sendOp(context: DrainContext, op: Op): Promise<Outcome> {
  const request = await requestOf(context.db, op);
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
    return {
      method: 'POST',
      path: `/api/questions/${op.payload.pollId}/vote`,
      headers: { ...headers, 'Content-Type': 'application/json' },
      body: JSON.stringify({ option: op.payload.option }),
      timeoutMs,
    };
  }
  const blobs = await db.opBlobs.where('opId').equals(op.opId).sortBy('slot');
  return { method: 'POST', path: '/api/questions', headers, body: pollForm(op, blobs), timeoutMs };
}
