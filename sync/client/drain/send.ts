import { EXPECTED_EPOCH_HEADER, EXPECTED_USER_HEADER, IDEMPOTENCY_KEY_HEADER } from '#shared/http.ts';
import type { UserDb } from '#sync/client/db.ts';
import { checkBlobs, formBody } from '#sync/client/outbox/blobs.ts';
import { isLeased, sendLock } from '#sync/client/outbox/lease.ts';
import { DATABASE_LIMIT_MS, withTimeLimit } from '#sync/client/time-limit.ts';
import type { Drain, Transport, TransportAnswer, TransportRequest } from '#sync/client/types.ts';
import { type Op, operationOf } from '#sync/operations/registry.ts';
import { type Outcome, outcomeOf } from '#sync/protocol/outcome.ts';
import { createBatch } from './batch.ts';

/** A sending that took longer was an upload that did not get through, not a missing network. */
const LONG_SENDING_MS = 10_000;
/** Without a network a browser gives up at once; one that took longer may have had some in between. */
const INSTANT_MS = 1_000;

/**
 * Sends leased ops, several in one request. Returns an outcome for each; an op that is alone is sent as it
 * is.
 */
export async function sendTogether(
  drain: Drain,
  ops: readonly Op[],
  epoch: string | undefined,
): Promise<(Outcome | null)[]> {
  const batch = createBatch(drain.transport, ops.length);
  return Promise.all(
    ops.map(async (op) => {
      let isSent = false;
      const transport: Transport = (request) => {
        isSent = true;
        return batch.transport(request);
      };
      try {
        return await sendLocked({ ...drain, transport }, op, epoch);
      } finally {
        if (!isSent) batch.withdraw();
      }
    }),
  );
}

/**
 * Sends a leased op and reads the answer; no answer is an outcome too. Nobody can withdraw it meanwhile. Null, and
 * nothing is sent, when the op was withdrawn since it was leased, by its person or by a log out, or when somebody else
 * has it by now. `epoch` is that of the server which the op was claimed for.
 */
export async function sendLocked(drain: Drain, op: Op, epoch: string | undefined): Promise<Outcome | null> {
  let outcome: Outcome | null = null;
  const send = async () => {
    outcome = await sendOp(drain, op, epoch);
  };
  const isFree = await drain.lock.run(sendLock(op.opId), send);
  // Whoever holds the lock is withdrawing the op, or is a suspended tab that has lost its lease.
  if (!isFree && op.wasTakenOver === true) await send();
  return outcome;
}

async function sendOp(drain: Drain, op: Op, epoch: string | undefined): Promise<Outcome | null> {
  const { clock } = drain;
  const request = await withTimeLimit(clock, DATABASE_LIMIT_MS, requestOf(drain.db, op, epoch)).catch(
    () => null,
  );
  // The last look: images take their time to be read.
  if (!(await withTimeLimit(clock, DATABASE_LIMIT_MS, isLeased(drain, op)))) return null;
  if (request === null) {
    // As unclear as an answer that nobody understands: after some tries the person is asked.
    const message = 'What was stored on this device can no longer be read.';
    return { kind: 'unclear', error: { status: 0, code: 'unknown', message } };
  }
  const startedAt = clock.now();
  const wasOnline = drain.isOnline();
  const answer: TransportAnswer | null = await drain.transport(request).catch(() => null);
  drain.onAnswer(answer);
  const outcome = outcomeOf(op.opId, answer);
  if (outcome.kind !== 'retry' || answer !== null) return outcome;
  const tookMs = clock.now() - startedAt;
  return {
    ...outcome,
    isFailedUpload: tookMs >= LONG_SENDING_MS,
    isUnsent: !wasOnline && !drain.isOnline() && tookMs < INSTANT_MS,
  };
}

async function requestOf(db: UserDb, op: Op, epoch: string | undefined): Promise<TransportRequest> {
  const operation = operationOf(op);
  // Ops of the first release say all of it with their payload.
  const { path, ...content } = op.request ?? operation.request(operation.payloadSchema.parse(op.payload));
  const headers = {
    Accept: 'application/json',
    [IDEMPOTENCY_KEY_HEADER]: op.opId,
    [EXPECTED_USER_HEADER]: String(op.userId),
    ...(epoch !== undefined && { [EXPECTED_EPOCH_HEADER]: epoch }),
  };
  const { timeoutMs } = operation;
  if (content.kind === 'json') {
    const json = { ...headers, 'Content-Type': 'application/json' };
    return { method: content.method ?? 'POST', path, headers: json, body: content.body, timeoutMs };
  }
  const blobs = await db.opBlobs.where('opId').equals(op.opId).sortBy('slot');
  await checkBlobs(blobs);
  return { method: 'POST', path, headers, body: formBody(content.fields, blobs), timeoutMs };
}
