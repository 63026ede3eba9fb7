import { laneOf, type Op, type OpError } from '#sync/protocol/op.ts';
import type { Outcome } from '#sync/protocol/outcome.ts';
import { dropPoll, settleApplied } from './cache.ts';
import { retryDelayMs } from './retry.ts';
import type { DrainContext } from './types.ts';

/** After so many refusals that this version does not understand, the person is asked. */
const UNCLEAR_ATTEMPTS_MAX = 5;

/** How a lane goes on: with the next op, not before somebody signs in, or after a pause (the server is in trouble). */
export type NextStep = 'go_on' | 'blocked' | { pauseMs: number };

/** Stores what an answer means for `op`. Each case is one transaction of its own. */
export async function settle(context: DrainContext, op: Op, outcome: Outcome): Promise<NextStep> {
  const { failures } = context;
  const lane = laneOf(op.type);
  const laneWide = outcome.kind === 'retry' && outcome.scope === 'lane';
  failures[lane] = laneWide ? failures[lane] + 1 : 0;
  switch (outcome.kind) {
    case 'applied': {
      const first = await settleApplied(context.db, op, outcome.answer);
      if (first) context.emit({ type: 'applied', op, poll: outcome.answer.poll });
      return 'go_on';
    }
    case 'rejected':
      await reject(context, op, outcome.error);
      return 'go_on';
    case 'blocked_auth':
      await blockQueue(context, op);
      return 'blocked';
    case 'unclear':
      await settleUnclear(context, op, outcome.error);
      return 'go_on';
    case 'retry': {
      const pauseMs = await postpone(context, op, outcome.retryAfterMs, outcome.error);
      if (op.attempts === 1) context.emit({ type: 'delayed', op });
      return laneWide ? { pauseMs } : 'go_on';
    }
  }
}

async function reject({ db, emit }: DrainContext, op: Op, error: OpError): Promise<void> {
  const changed = await db.ops
    .where('opId')
    .equals(op.opId)
    .modify({ state: 'rejected', lastError: error, leaseOwner: null });
  if (op.type === 'vote' && error.code === 'not_found') await dropPoll(db, op.entityId);
  if (changed > 0) emit({ type: 'rejected', op, error });
}

async function settleUnclear(context: DrainContext, op: Op, error: OpError): Promise<void> {
  if (op.attempts < UNCLEAR_ATTEMPTS_MAX) {
    await postpone(context, op, null, error);
    return;
  }
  await modifyLeased(context, op, { state: 'needs_attention', lastError: error, leaseOwner: null });
}

/** The session has ended or is another's: everything waits until this user is signed in again. */
async function blockQueue({ db, onBlocked }: DrainContext, op: Op): Promise<void> {
  await db.transaction('rw', db.ops, async () => {
    await db.ops
      .where('opId')
      .equals(op.opId)
      .modify({ state: 'blocked_auth', attempts: op.attempts - 1, leaseOwner: null });
    await db.ops.where('state').equals('queued').modify({ state: 'blocked_auth' });
  });
  onBlocked();
}

async function postpone(
  context: DrainContext,
  op: Op,
  retryAfterMs: number | null,
  error: OpError | null,
): Promise<number> {
  const tries = Math.max(op.attempts, context.failures[laneOf(op.type)]);
  const delayMs = retryDelayMs(tries, retryAfterMs, context.random());
  const nextAttemptAt = context.clock.now() + delayMs;
  await modifyLeased(context, op, { state: 'queued', nextAttemptAt, lastError: error, leaseOwner: null });
  return delayMs;
}

/** Changes an op only while the lease is still ours: otherwise somebody else decides by now. */
async function modifyLeased({ db, owner }: DrainContext, op: Op, changes: Partial<Op>): Promise<void> {
  await db.ops
    .where('opId')
    .equals(op.opId)
    .and((row) => row.state === 'sending' && row.leaseOwner === owner)
    .modify(changes);
}
