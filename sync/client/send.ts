import { EXPECTED_USER_HEADER, IDEMPOTENCY_KEY_HEADER } from '#shared/http.ts';
import { OP_TYPES, type Op } from '#sync/protocol/op.ts';
import { outcomeOf } from '#sync/protocol/outcome.ts';
import { pollForm } from './blobs.ts';
import type { UserDb } from './db.ts';
import { type NextStep, settle } from './settle.ts';
import type { DrainContext, TransportAnswer, TransportRequest } from './types.ts';

/** A lease lasts this long and is renewed while the answer is awaited, so that a killed tab blocks nobody. */
export const LEASE_MS = 30_000;
const LEASE_RENEWAL_MS = 10_000;

/** Sends one leased op, stores what came of it, and says how the lane goes on. */
export async function sendOp(context: DrainContext, op: Op): Promise<NextStep> {
  const stopRenewal = renewLease(context, op);
  let answer: TransportAnswer | null = null;
  try {
    answer = await context.transport(await requestOf(context.db, op));
  } catch {
    answer = null;
  } finally {
    stopRenewal();
  }
  context.onAnswer(answer);
  return settle(context, op, outcomeOf(op.opId, answer));
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

/** Keeps the lease alive until the returned function is called. */
function renewLease({ db, clock, owner }: DrainContext, op: Op): () => void {
  let stopped = false;
  let cancel = () => {};
  const schedule = () => {
    cancel = clock.setTimeout(() => void renew(), LEASE_RENEWAL_MS);
  };
  const renew = async () => {
    await db.ops
      .where('opId')
      .equals(op.opId)
      .and((row) => row.state === 'sending' && row.leaseOwner === owner)
      .modify({ leaseUntil: clock.now() + LEASE_MS });
    if (!stopped) schedule();
  };
  schedule();
  return () => {
    stopped = true;
    cancel();
  };
}
