import { EXPECTED_EPOCH_HEADER, EXPECTED_USER_HEADER, IDEMPOTENCY_KEY_HEADER } from '#shared/http.ts';
import type { Transport, TransportRequest } from '#sync/client/capabilities.ts';
import type { UserDb } from '#sync/client/db.ts';
import { checkBlobs, formBody } from '#sync/client/outbox/blobs.ts';
import { isLeased, sendLockName } from '#sync/client/outbox/lease.ts';
import { withDatabaseTimeout } from '#sync/client/timeout.ts';
import { type Op, operationOf } from '#sync/operations/registry.ts';
import { type Outcome, outcomeOf } from '#sync/protocol/outcome.ts';
import { createBatch } from './batch.ts';
import type { Drain } from './drain-context.ts';

/** A failed attempt that took at least this long counts as a failed upload, not as a missing network. */
const LONG_ATTEMPT_MS = 10_000;
/** Without a network, a request fails sooner than this. A request that failed later may have reached the server. */
const INSTANT_FAILURE_MS = 1_000;

/** Sends leased ops in one request and returns the outcome of each, as `sendLocked` does. */
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
        if (!isSent) batch.leave();
      }
    }),
  );
}

/**
 * Sends a leased op under its lock, so that it is not discarded meanwhile, and resolves with the outcome, even without a
 * response. Resolves with null, and sends nothing, if the user or a logout has discarded the op since it was leased, or another
 * drain owns it. `epoch`: the epoch of the server that the op was leased for.
 */
export async function sendLocked(drain: Drain, op: Op, epoch: string | undefined): Promise<Outcome | null> {
  let outcome: Outcome | null = null;
  const send = async () => {
    outcome = await sendOp(drain, op, epoch);
  };
  const isFree = await drain.lock.run(sendLockName(op.opId), send);
  // The lock is held by a tab that discards the op, or by a suspended tab that has lost its lease on the op.
  if (!isFree && op.wasTakenOver === true) await send();
  return outcome;
}

async function sendOp(drain: Drain, op: Op, epoch: string | undefined): Promise<Outcome | null> {
  const { clock } = drain;
  const request = await withDatabaseTimeout(clock, requestOf(drain.db, op, epoch)).catch(() => null);
  // The lease is checked only now, because reading images takes time.
  if (!(await withDatabaseTimeout(clock, isLeased(drain, op)))) return null;
  if (request === null) {
    // Counts as a refusal with an unknown reason: after some attempts, the user decides.
    const message = 'The data stored on this device can no longer be read.';
    return { kind: 'unclear', error: { status: 0, code: 'unknown', message } };
  }
  const startedAt = clock.now();
  const wasOnline = drain.isOnline();
  const response = await drain.transport(request).catch(() => null);
  const outcome = outcomeOf(op.opId, response);
  if (outcome.kind !== 'retry' || response !== null) return outcome;
  const tookMs = clock.now() - startedAt;
  return {
    ...outcome,
    isFailedUpload: tookMs >= LONG_ATTEMPT_MS,
    isUnsent: !wasOnline && !drain.isOnline() && tookMs < INSTANT_FAILURE_MS,
  };
}

async function requestOf(db: UserDb, op: Op, epoch: string | undefined): Promise<TransportRequest> {
  const operation = operationOf(op);
  // Ops of the first release have no `request`.
  const { path, ...content } = op.request ?? operation.request(operation.payloadSchema.parse(op.payload));
  const headers = {
    Accept: 'application/json',
    [IDEMPOTENCY_KEY_HEADER]: op.opId,
    [EXPECTED_USER_HEADER]: String(op.userId),
    ...(epoch !== undefined && { [EXPECTED_EPOCH_HEADER]: epoch }),
  };
  const { timeoutMs } = operation;
  if (content.kind === 'empty') return { method: content.method, path, headers, body: null, timeoutMs };
  if (content.kind === 'json') {
    const json = { ...headers, 'Content-Type': 'application/json' };
    return { method: content.method ?? 'POST', path, headers: json, body: content.body, timeoutMs };
  }
  const blobs = await db.opBlobs.where('opId').equals(op.opId).sortBy('slot');
  await checkBlobs(blobs);
  return { method: 'POST', path, headers, body: formBody(content.fields, blobs), timeoutMs };
}
