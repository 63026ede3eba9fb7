import type { User } from '#shared/accounts/schema.ts';
import type { MutationAnswer } from '#shared/polls/schema.ts';
import { type AnswerPlace, dropPolls, placeOfAnswer, putPolls, putUser } from '#sync/client/cache/cache.ts';
import { putFirst } from '#sync/client/cache/cached-lists.ts';
import { StorageFullError, withRoom } from '#sync/client/cache/storage.ts';
import type { UserDb } from '#sync/client/db.ts';
import { keepAcknowledged } from '#sync/client/outbox/acknowledged.ts';
import { removeOps } from '#sync/client/outbox/discard.ts';
import { isFirstLease, modifyLeased } from '#sync/client/outbox/lease.ts';
import { failingUploadDelayMs, keepsFailing, retryDelayMs } from '#sync/client/outbox/retry.ts';
import type { Drain, EngineEvent } from '#sync/client/types.ts';
import { laneOf, type Op, operationOf } from '#sync/operations/registry.ts';
import { NEVER_SENT, type OpError } from '#sync/protocol/op.ts';
import type { Outcome } from '#sync/protocol/outcome.ts';

/** After so many refusals that this version does not understand, the person is asked. */
const UNCLEAR_REFUSALS_MAX = 5;

/** `epoch`: that of the server which the op was sent to. */
export type Answered = { op: Op; outcome: Outcome; epoch?: string | undefined };

/** How a lane goes on: with the next op, not before somebody signs in, or after a pause (the server is in trouble). */
export type NextStep = 'go_on' | 'blocked' | { pauseMs: number };

/** The shortest pause after a refusal of the session, so that a server which contradicts itself is not asked all the time. */
const BLOCKED_PAUSE_MS = 1_000;

/** What an outcome means for the rest of its lane; takes note of a server in trouble. */
export function stepAfter(drain: Drain, { op, outcome }: Answered): NextStep {
  const { lane, trouble, clock } = drain;
  const before = trouble[lane];
  if (outcome.kind === 'blocked_auth') {
    const blocks = before.blocks + 1;
    const pauseMs = Math.max(BLOCKED_PAUSE_MS, retryDelayMs(blocks, null, drain.random()));
    trouble[lane] = { ...before, blocks, notBeforeMs: clock.now() + pauseMs };
    return 'blocked';
  }
  if (outcome.kind !== 'retry' || outcome.scope === 'op') {
    const behindSeq = op.seq === before.behindSeq ? 0 : before.behindSeq;
    trouble[lane] = { times: 0, behindSeq, notBeforeMs: 0, blocks: 0 };
    return 'go_on';
  }
  const times = before.times + 1;
  const pauseMs = retryDelayMs(Math.max(op.attempts + 1, times), outcome.retryAfterMs, drain.random());
  const notBeforeMs = outcome.retryAfterMs === null ? 0 : clock.now() + pauseMs;
  trouble[lane] = { times, behindSeq: op.seq, notBeforeMs, blocks: before.blocks };
  return { pauseMs };
}

/**
 * Stores what the answers mean, all in one transaction, and then says so. On a device without any room left an
 * acknowledged op leaves the queue all the same, and its answer is asked for again later.
 */
export async function settle(drain: Drain, answers: readonly Answered[]): Promise<void> {
  const { db, storage } = drain;
  const events = await withRoom(storage, db, () => storeAnswers(drain, answers, storeApplied)).catch(
    async (error: unknown) => {
      if (!(error instanceof StorageFullError)) throw error;
      const applied = await storeAnswers(drain, answers.filter(isApplied), removeApplied);
      // What does not fit is asked again; it must not keep the acknowledged ones in the queue.
      const others = answers.filter((answered) => !isApplied(answered));
      const said = await storeAnswers(drain, others, removeApplied).catch(() => []);
      return [...applied, ...said];
    },
  );
  for (const event of events) drain.emit(event);
  if (answers.some(({ outcome }) => outcome.kind === 'blocked_auth')) drain.onBlocked();
}

type StoreApplied = (drain: Drain, applied: readonly Applied[], place: AnswerPlace) => Promise<void>;

async function storeAnswers(
  drain: Drain,
  answers: readonly Answered[],
  storeAll: StoreApplied,
): Promise<EngineEvent[]> {
  const { db, userId } = drain;
  return db.transaction('rw', db.tables, async () => {
    // All of them were claimed together, for the same server; a cache of the first release did not know which.
    const toldBy = answers.filter(isApplied).find(({ outcome }) => outcome.answer !== null)?.outcome.answer;
    const place = await placeOfAnswer(db, userId, answers[0]?.epoch ?? toldBy?.user.epoch);
    // The server that answers by now has not heard of them, whatever the former one made of them.
    if (place === 'former_server') return [];
    const applied = answers.filter(isApplied);
    // Another tab may have got the same answer before, or the op may be there again because the server was restored.
    const rows = await db.ops
      .where('opId')
      .anyOf(applied.map(({ op }) => op.opId))
      .toArray();
    const isNews = new Set(rows.flatMap(({ opId, isRepeated }) => (isRepeated === true ? [] : [opId])));
    await storeAll(drain, applied, place);
    const said: EngineEvent[] = [];
    for (const answered of answers) {
      const { op, outcome } = answered;
      if (!isApplied(answered)) said.push(...(await store(drain, op, outcome as Unapplied)));
      else if (isNews.has(op.opId)) said.push(appliedEvent(answered));
    }
    return said;
  });
}

type Applied = { op: Op; outcome: Extract<Outcome, { kind: 'applied' }> };

function isApplied(answered: Answered): answered is Applied {
  return answered.outcome.kind === 'applied';
}

function appliedEvent({ op, outcome: { answer, isNew } }: Applied): EngineEvent {
  return { type: 'applied', op, poll: answer?.poll ?? null, isNew };
}

/**
 * Takes ops out of the queue in the transaction that stores the server's answers to them. After a log out nothing is cached.
 */
async function storeApplied(drain: Drain, applied: readonly Applied[], place: AnswerPlace): Promise<void> {
  const { db, clock } = drain;
  const answers = applied.flatMap(({ outcome }) => outcome.answer ?? []);
  const newestUser = answers.reduce<User | null>(
    (newest, { user }) => (newest !== null && newest.rev >= user.rev ? newest : user),
    null,
  );
  const opIds = applied.map(({ op }) => op.opId);
  // Those that another tab has settled already are listed and kept by now.
  const waiting = await db.ops.where('opId').anyOf(opIds).toArray();
  if (place === 'current') {
    if (newestUser !== null) await putUser(db, newestUser);
    await putPolls(
      db,
      answers.flatMap(({ poll }) => poll ?? []),
    );
    const gone = applied.filter(({ outcome }) => outcome.answer?.poll === null);
    if (gone.length > 0) {
      await dropPolls(
        db,
        gone.map(({ op }) => op.entityId),
      );
    }
    for (const { op, outcome } of applied) {
      const isFirst = waiting.some(({ opId }) => opId === op.opId);
      if (isFirst && operationOf(op).newPoll !== null)
        await listOwnPoll(db, op.entityId, outcome.answer, clock.now());
    }
    await keepAcknowledged(db, waiting, clock.now());
  }
  await removeApplied(drain, applied);
}

/** A poll that was just made stands first in its lists; one whose answer could not be read is fetched afterwards. */
async function listOwnPoll(
  db: UserDb,
  pollId: string,
  answer: MutationAnswer | null,
  nowMs: number,
): Promise<void> {
  if (answer?.poll === null) return;
  await putFirst(db.mine, pollId, nowMs);
  if (answer === null || answer.poll.active) await putFirst(db.feed, pollId, nowMs);
}

async function removeApplied({ db }: Drain, applied: readonly Applied[]): Promise<void> {
  const opIds = applied.map(({ op }) => op.opId);
  await removeOps(db, opIds);
}

type Unapplied = Exclude<Outcome, { kind: 'applied' }>;

async function store(drain: Drain, op: Op, outcome: Unapplied): Promise<EngineEvent[]> {
  switch (outcome.kind) {
    case 'rejected':
      return reject(drain, op, outcome.error);
    case 'blocked_auth':
      await blockQueue(drain, op);
      return [];
    case 'unclear':
      await storeUnclear(drain, op, outcome.error);
      return [];
    case 'retry':
      await postpone(drain, op, outcome);
      return op.attempts === 0 ? [{ type: 'delayed', op }] : [];
  }
}

/** Says nothing when another tab has stored this refusal already. */
async function reject({ db }: Drain, op: Op, error: OpError): Promise<EngineEvent[]> {
  if (op.isRepeated === true && operationOf(op).newPoll === null) {
    // It was told as done once; what a restored server lacks now is shown as it is.
    await removeOps(db, [op.opId]);
    return [];
  }
  const changed = await db.ops
    .where('opId')
    .equals(op.opId)
    .and((row) => row.state !== 'rejected')
    .modify({ state: 'rejected', lastError: error, leaseOwner: null });
  if (operationOf(op).dropsMissingPoll && error.code === 'not_found') await dropPolls(db, [op.entityId]);
  return changed > 0 ? [{ type: 'rejected', op, error }] : [];
}

async function storeUnclear(drain: Drain, op: Op, error: OpError): Promise<void> {
  const refusals = (op.refusals ?? 0) + 1;
  if (refusals < UNCLEAR_REFUSALS_MAX) {
    await modifyLeased(drain, [op], { refusals });
    await postpone(drain, op, { retryAfterMs: null, error, isFailedUpload: false });
    return;
  }
  const attempts = op.attempts + 1;
  const changes: Partial<Op> = { state: 'needs_attention', lastError: error, leaseOwner: null };
  await modifyLeased(drain, [op], { ...changes, refusals, attempts });
}

/** The session is over or another's: everything waits until this user is signed in again. No attempt is counted. */
async function blockQueue(drain: Drain, op: Op): Promise<void> {
  await modifyLeased(drain, [op], { state: 'blocked_auth', leaseOwner: null });
  await drain.db.ops.where('state').equals('queued').modify({ state: 'blocked_auth' });
}

type Postponed = {
  retryAfterMs: number | null;
  error: OpError | null;
  isFailedUpload: boolean;
  isUnsent?: boolean;
};

async function postpone(
  drain: Drain,
  op: Op,
  { retryAfterMs, error, isFailedUpload, isUnsent = false }: Postponed,
): Promise<void> {
  const attempts = op.attempts + 1;
  const failedUploads = (op.failedUploads ?? 0) + (isFailedUpload && laneOf(op) === 'creations' ? 1 : 0);
  const tries = Math.max(attempts, drain.trouble[drain.lane].times);
  const delayMs = keepsFailing({ failedUploads })
    ? failingUploadDelayMs({ failedUploads })
    : retryDelayMs(tries, retryAfterMs, drain.random());
  const nextAttemptAt = drain.clock.now() + delayMs;
  const changes: Partial<Op> = { state: 'queued', leaseOwner: null, lastError: error };
  // As if it had never been leased: the server cannot have it.
  if (isUnsent && isFirstLease(op)) Object.assign(changes, NEVER_SENT);
  await modifyLeased(drain, [op], { ...changes, attempts, failedUploads, nextAttemptAt });
}
