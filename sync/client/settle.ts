import { type Lane, laneOf, type Op, type OpError } from '#sync/protocol/op.ts';
import type { Outcome } from '#sync/protocol/outcome.ts';
import { dropPoll, settleApplied } from './cache.ts';
import { modifyLeased } from './lease.ts';
import { retryDelayMs } from './retry.ts';
import type { DrainContext, EngineEvent } from './types.ts';

/** After so many refusals that this version does not understand, the person is asked. */
const UNCLEAR_ATTEMPTS_MAX = 5;

export type Answered = { op: Op; outcome: Outcome };

/** How a lane goes on: with the next op, not before somebody signs in, or after a pause (the server is in trouble). */
export type NextStep = 'go_on' | 'blocked' | { pauseMs: number };

/** What an outcome means for the rest of its lane; takes note of a server in trouble. */
export function stepAfter(context: DrainContext, lane: Lane, { op, outcome }: Answered): NextStep {
  const laneWide = outcome.kind === 'retry' && outcome.scope === 'lane';
  const times = laneWide ? context.trouble[lane].times + 1 : 0;
  context.trouble[lane] = { times, behindSeq: laneWide ? op.seq : 0 };
  if (outcome.kind === 'blocked_auth') return 'blocked';
  return laneWide ? { pauseMs: delayMs(context, op, outcome.retryAfterMs) } : 'go_on';
}

/** Stores what the answers mean, all in one transaction, and then says so. */
export async function settle(context: DrainContext, answers: readonly Answered[]): Promise<void> {
  const { db } = context;
  const tables = [db.ops, db.opBlobs, db.polls, db.user, db.feed, db.mine, db.trending, db.listMeta];
  const events = await db.transaction('rw', tables, async () => {
    const said: (EngineEvent | null)[] = [];
    for (const { op, outcome } of answers) said.push(await store(context, op, outcome));
    return said;
  });
  for (const event of events) if (event !== null) context.emit(event);
  if (answers.some(({ outcome }) => outcome.kind === 'blocked_auth')) context.onBlocked();
}

async function store(context: DrainContext, op: Op, outcome: Outcome): Promise<EngineEvent | null> {
  switch (outcome.kind) {
    case 'applied': {
      const isFirst = await settleApplied(context.db, op, outcome.answer, context.clock.now());
      return isFirst ? { type: 'applied', op, poll: outcome.answer.poll } : null;
    }
    case 'rejected':
      return reject(context, op, outcome.error);
    case 'blocked_auth':
      await blockQueue(context, op);
      return null;
    case 'unclear':
      await storeUnclear(context, op, outcome.error);
      return null;
    case 'retry':
      await postpone(context, op, outcome.retryAfterMs, outcome.error);
      return op.attempts === 0 ? { type: 'delayed', op } : null;
  }
}

/** Null when another tab has stored this refusal already. */
async function reject({ db }: DrainContext, op: Op, error: OpError): Promise<EngineEvent | null> {
  const changed = await db.ops
    .where('seq')
    .equals(op.seq)
    .and((row) => row.state !== 'rejected')
    .modify({ state: 'rejected', lastError: error, leaseOwner: null });
  if (op.type === 'vote' && error.code === 'not_found') await dropPoll(db, op.entityId);
  return changed > 0 ? { type: 'rejected', op, error } : null;
}

async function storeUnclear(context: DrainContext, op: Op, error: OpError): Promise<void> {
  const attempts = op.attempts + 1;
  if (attempts < UNCLEAR_ATTEMPTS_MAX) return postpone(context, op, null, error);
  const changes: Partial<Op> = { state: 'needs_attention', attempts, lastError: error, leaseOwner: null };
  return modifyLeased(context, [op], changes);
}

/** The session is over or another's: everything waits until this user is signed in again. No attempt is counted. */
async function blockQueue(context: DrainContext, op: Op): Promise<void> {
  await modifyLeased(context, [op], { state: 'blocked_auth', leaseOwner: null });
  await context.db.ops.where('state').equals('queued').modify({ state: 'blocked_auth' });
}

async function postpone(
  context: DrainContext,
  op: Op,
  retryAfterMs: number | null,
  error: OpError | null,
): Promise<void> {
  const nextAttemptAt = context.clock.now() + delayMs(context, op, retryAfterMs);
  const changes: Partial<Op> = { state: 'queued', attempts: op.attempts + 1, nextAttemptAt };
  await modifyLeased(context, [op], { ...changes, lastError: error, leaseOwner: null });
}

function delayMs(context: DrainContext, op: Op, retryAfterMs: number | null): number {
  const lane = laneOf(op.type);
  const tries = Math.max(op.attempts + 1, lane === undefined ? 0 : context.trouble[lane].times);
  return retryDelayMs(tries, retryAfterMs, context.random());
}
