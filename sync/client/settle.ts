import type { User } from '#shared/auth/schema.ts';
import type { Poll } from '#shared/polls/schema.ts';
import { type Lane, laneOf, type Op, type OpError } from '#sync/protocol/op.ts';
import type { Outcome } from '#sync/protocol/outcome.ts';
import { dropPolls, putPolls, putUser } from './cache.ts';
import { putFirst } from './cached-lists.ts';
import { modifyLeased } from './lease.ts';
import { retryDelayMs } from './retry.ts';
import { StorageFullError, withRoom } from './storage.ts';
import type { DrainContext, EngineEvent } from './types.ts';

/** After so many refusals that this version does not understand, the person is asked. */
const UNCLEAR_REFUSALS_MAX = 5;

export type Answered = { op: Op; outcome: Outcome };

/** How a lane goes on: with the next op, not before somebody signs in, or after a pause (the server is in trouble). */
export type NextStep = 'go_on' | 'blocked' | { pauseMs: number };

/** What an outcome means for the rest of its lane; takes note of a server in trouble. */
export function stepAfter(context: DrainContext, lane: Lane, { op, outcome }: Answered): NextStep {
  const before = context.trouble[lane];
  const laneWide = outcome.kind === 'retry' && outcome.scope === 'lane';
  if (!laneWide) {
    const behindSeq = op.seq === before.behindSeq ? 0 : before.behindSeq;
    context.trouble[lane] = { times: 0, behindSeq, notBeforeMs: 0 };
    return outcome.kind === 'blocked_auth' ? 'blocked' : 'go_on';
  }
  context.trouble[lane] = { times: before.times + 1, behindSeq: op.seq, notBeforeMs: 0 };
  const pauseMs = delayMs(context, op, outcome.retryAfterMs);
  if (outcome.retryAfterMs !== null) context.trouble[lane].notBeforeMs = context.clock.now() + pauseMs;
  return { pauseMs };
}

/**
 * Stores what the answers mean, all in one transaction, and then says so. On a device without any room left an
 * acknowledged op leaves the queue all the same, and its answer is asked for again later.
 */
export async function settle(context: DrainContext, answers: readonly Answered[]): Promise<void> {
  const { db, storage } = context;
  const events = await withRoom(storage, db, () => storeAnswers(context, answers, storeApplied)).catch(
    (error: unknown) => {
      if (!(error instanceof StorageFullError)) throw error;
      return storeAnswers(context, answers, removeApplied);
    },
  );
  for (const event of events) context.emit(event);
  if (answers.some(({ outcome }) => outcome.kind === 'blocked_auth')) context.onBlocked();
}

type StoreApplied = (context: DrainContext, applied: readonly Applied[]) => Promise<Set<number>>;

async function storeAnswers(
  context: DrainContext,
  answers: readonly Answered[],
  storeAll: StoreApplied,
): Promise<EngineEvent[]> {
  const { db } = context;
  const tables = [db.ops, db.opBlobs, db.polls, db.user, db.feed, db.mine, db.trending, db.listMeta];
  return db.transaction('rw', tables, async () => {
    const isFirst = await storeAll(context, answers.filter(isApplied));
    const said: EngineEvent[] = [];
    for (const { op, outcome } of answers) {
      if (outcome.kind !== 'applied') said.push(...(await store(context, op, outcome)));
      else if (isFirst.has(op.seq)) said.push({ type: 'applied', op, poll: outcome.answer.poll });
    }
    return said;
  });
}

type Applied = { op: Op; outcome: Extract<Outcome, { kind: 'applied' }> };

function isApplied(answered: Answered): answered is Applied {
  return answered.outcome.kind === 'applied';
}

/**
 * Takes ops out of the queue in the transaction that stores the server's answers to them. Returns the `seq` of those
 * that were still in it: another tab may have got the same answer before.
 */
async function storeApplied(context: DrainContext, applied: readonly Applied[]): Promise<Set<number>> {
  const { db, clock } = context;
  const polls: Poll[] = [];
  const gone: string[] = [];
  for (const { op, outcome } of applied) {
    const { poll } = outcome.answer;
    if (poll === null) gone.push(op.entityId);
    else polls.push(poll);
  }
  const newestUser = applied
    .map(({ outcome }) => outcome.answer.user)
    .reduce<User | null>((newest, user) => (newest !== null && newest.rev >= user.rev ? newest : user), null);
  if (newestUser !== null) await putUser(db, newestUser);
  await putPolls(db, polls);
  if (gone.length > 0) await dropPolls(db, gone);

  for (const { op, outcome } of applied) {
    if (op.type !== 'createPoll') continue;
    const { poll } = outcome.answer;
    if (poll !== null) await putFirst(db.mine, poll.id, clock.now());
    if (poll?.active) await putFirst(db.feed, poll.id, clock.now());
  }
  return removeApplied(context, applied);
}

async function removeApplied({ db }: DrainContext, applied: readonly Applied[]): Promise<Set<number>> {
  const opIds = applied.map(({ op }) => op.opId);
  const removed = await db.ops.where('opId').anyOf(opIds).primaryKeys();
  await db.ops.bulkDelete(removed);
  await db.opBlobs.where('opId').anyOf(opIds).delete();
  return new Set(removed);
}

type Unapplied = Exclude<Outcome, { kind: 'applied' }>;

async function store(context: DrainContext, op: Op, outcome: Unapplied): Promise<EngineEvent[]> {
  switch (outcome.kind) {
    case 'rejected':
      return reject(context, op, outcome.error);
    case 'blocked_auth':
      await blockQueue(context, op);
      return [];
    case 'unclear':
      await storeUnclear(context, op, outcome.error);
      return [];
    case 'retry':
      await postpone(context, op, outcome.retryAfterMs, outcome.error);
      return op.attempts === 0 ? [{ type: 'delayed', op }] : [];
  }
}

/** Says nothing when another tab has stored this refusal already. */
async function reject({ db }: DrainContext, op: Op, error: OpError): Promise<EngineEvent[]> {
  const changed = await db.ops
    .where('seq')
    .equals(op.seq)
    .and((row) => row.state !== 'rejected')
    .modify({ state: 'rejected', lastError: error, leaseOwner: null });
  if (op.type === 'vote' && error.code === 'not_found') await dropPolls(db, [op.entityId]);
  return changed > 0 ? [{ type: 'rejected', op, error }] : [];
}

async function storeUnclear(context: DrainContext, op: Op, error: OpError): Promise<void> {
  const refusals = (op.refusals ?? 0) + 1;
  await modifyLeased(context, [op], { refusals });
  if (refusals < UNCLEAR_REFUSALS_MAX) return postpone(context, op, null, error);
  const changes: Partial<Op> = { state: 'needs_attention', lastError: error, leaseOwner: null };
  return modifyLeased(context, [op], { ...changes, attempts: op.attempts + 1 });
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
  const lane = laneOf(op);
  const tries = Math.max(op.attempts + 1, lane === undefined ? 0 : context.trouble[lane].times);
  return retryDelayMs(tries, retryAfterMs, context.random());
}
