import type { User } from '#shared/accounts/schema.ts';
import type { MutationResponse } from '#shared/polls/schema.ts';
import {
  dropPolls,
  putPolls,
  putUser,
  type ResponseValidity,
  responseValidity,
} from '#sync/client/cache/cache.ts';
import { putFirst } from '#sync/client/cache/cached-lists.ts';
import { confirmRead } from '#sync/client/cache/cached-notifications.ts';
import { StorageFullError, withFreedSpace } from '#sync/client/cache/storage.ts';
import type { UserDb } from '#sync/client/db.ts';
import type { EngineEvent } from '#sync/client/emitter.ts';
import { keepAcknowledged } from '#sync/client/outbox/acknowledged.ts';
import { removeOps } from '#sync/client/outbox/discard.ts';
import { confirmHiding } from '#sync/client/outbox/hidden.ts';
import { isFirstLease, modifyLeased } from '#sync/client/outbox/lease.ts';
import { failingUploadDelayMs, keepsFailing, retryDelayMs } from '#sync/client/outbox/retry.ts';
import { laneOf, type Op, operationOf } from '#sync/operations/registry.ts';
import { NEVER_SENT, type OpError } from '#sync/protocol/op.ts';
import type { Outcome } from '#sync/protocol/outcome.ts';
import type { Drain } from './drain-context.ts';

/** After so many refusals with codes that this version does not know, the person decides. */
const UNCLEAR_REFUSALS_MAX = 5;

/** `epoch`: of the server that the op was sent to. */
export type Answered = { op: Op; outcome: Outcome; epoch?: string | undefined };

/** How a lane continues: with the next op, after a login, or after a pause. */
export type NextStep = 'continue' | 'blocked' | { pauseMs: number };

/** The shortest pause after the session was refused: a server may contradict itself. */
const BLOCKED_PAUSE_MS = 1_000;

/** The consequence of an outcome for the rest of its lane; updates the lane's backoff. */
export function nextStep(drain: Drain, { op, outcome }: Answered): NextStep {
  const { lane, backoff, clock } = drain;
  const before = backoff[lane];
  if (outcome.kind === 'blocked_auth') {
    const authFailures = before.authFailures + 1;
    const pauseMs = Math.max(BLOCKED_PAUSE_MS, retryDelayMs(authFailures, null, drain.random()));
    backoff[lane] = { ...before, authFailures, notBeforeMs: clock.now() + pauseMs };
    return 'blocked';
  }
  if (outcome.kind !== 'retry' || outcome.scope === 'op') {
    const behindSeq = op.seq === before.behindSeq ? 0 : before.behindSeq;
    backoff[lane] = { failures: 0, behindSeq, notBeforeMs: 0, authFailures: 0 };
    return 'continue';
  }
  const failures = before.failures + 1;
  const pauseMs = retryDelayMs(Math.max(op.attempts + 1, failures), outcome.retryAfterMs, drain.random());
  const notBeforeMs = outcome.retryAfterMs === null ? 0 : clock.now() + pauseMs;
  backoff[lane] = { failures, behindSeq: op.seq, notBeforeMs, authFailures: before.authFailures };
  return { pauseMs };
}

/**
 * Stores the outcomes in one transaction, then emits their events. On a full device acknowledged ops leave the queue
 * without their answers, which are fetched later.
 */
export async function settle(drain: Drain, answers: readonly Answered[]): Promise<void> {
  const { db, storage } = drain;
  const events = await withFreedSpace(storage, db, () => storeAnswers(drain, answers, storeApplied)).catch(
    async (error: unknown) => {
      if (!(error instanceof StorageFullError)) throw error;
      const applied = await storeAnswers(
        drain,
        answers.filter(isApplied).map(withoutResponse),
        removeApplied,
      );
      // Those that do not fit are sent again; they must not keep acknowledged ops in the queue.
      const others = answers.filter((answered) => !isApplied(answered));
      return [...applied, ...(await storeAnswers(drain, others, removeApplied).catch(() => []))];
    },
  );
  for (const event of events) drain.emit(event);
  if (answers.some(({ outcome }) => outcome.kind === 'blocked_auth')) drain.onBlocked();
}

type StoreApplied = (drain: Drain, applied: readonly Applied[], validity: ResponseValidity) => Promise<void>;

async function storeAnswers(
  drain: Drain,
  answers: readonly Answered[],
  storeAll: StoreApplied,
): Promise<EngineEvent[]> {
  const { db, userId } = drain;
  return db.transaction('rw', db.tables, async () => {
    // All of them were leased together for the same server; caches of the first release lack its epoch.
    const applied = answers.filter(isApplied);
    const response = applied.find(({ outcome }) => outcome.response !== null)?.outcome.response;
    const validity = await responseValidity(db, userId, answers[0]?.epoch ?? response?.user.epoch);
    // The present server does not know these ops, whatever the former one answered.
    if (validity === 'former_server') return [];
    // Another tab may have stored the same response, or the op may be repeated because the server was restored.
    const rows = await db.ops
      .where('opId')
      .anyOf(applied.map(({ op }) => op.opId))
      .toArray();
    const notAppliedBefore = new Set(
      rows.flatMap(({ opId, isRepeated }) => (isRepeated === true ? [] : [opId])),
    );
    await storeAll(drain, applied, validity);
    const events: EngineEvent[] = [];
    for (const answered of answers) {
      const { op, outcome } = answered;
      if (!isApplied(answered)) events.push(...(await store(drain, op, outcome as NotApplied)));
      else if (notAppliedBefore.has(op.opId)) events.push(appliedEvent(answered));
    }
    return events;
  });
}

type Applied = { op: Op; outcome: Extract<Outcome, { kind: 'applied' }>; epoch?: string | undefined };

/** An answer that is not stored: what it brought is fetched. */
function withoutResponse({ outcome, ...answered }: Applied): Applied {
  return { ...answered, outcome: { ...outcome, response: null } };
}

function isApplied(answered: Answered): answered is Applied {
  return answered.outcome.kind === 'applied';
}

function appliedEvent({ op, outcome: { response, isNew } }: Applied): EngineEvent {
  return { type: 'applied', op, poll: response?.poll ?? null, isNew };
}

/** Caches the responses, except after a log out, and removes their ops from the queue in the same transaction. */
async function storeApplied(
  drain: Drain,
  applied: readonly Applied[],
  validity: ResponseValidity,
): Promise<void> {
  const { db, clock } = drain;
  const answers = applied.flatMap(({ outcome }) => outcome.response ?? []);
  const newestUser = answers.reduce<User | null>(
    (newest, { user }) => (newest !== null && newest.rev >= user.rev ? newest : user),
    null,
  );
  const opIds = applied.map(({ op }) => op.opId);
  // Another tab may have settled some of them.
  const waiting = await db.ops.where('opId').anyOf(opIds).toArray();
  if (validity === 'current') {
    if (newestUser !== null) await putUser(db, newestUser);
    await putPolls(
      db,
      answers.flatMap(({ poll }) => poll ?? []),
    );
    const gone = applied.filter(({ outcome }) => outcome.response?.poll === null);
    if (gone.length > 0) {
      await dropPolls(
        db,
        gone.map(({ op }) => op.entityId),
      );
    }
    for (const { op, outcome } of applied) {
      const isFirst = waiting.some(({ opId }) => opId === op.opId);
      if (isFirst && operationOf(op).newPoll !== null)
        await listOwnPoll(db, op.entityId, outcome.response, clock.now());
    }
    await confirmHiding(db, waiting, clock.now());
    await confirmRead(db, waiting, clock.now());
    await keepAcknowledged(db, waiting, clock.now());
  }
  await removeApplied(drain, applied);
}

/** Puts a new own poll at the top of its lists; one whose response could not be read is fetched afterwards. */
async function listOwnPoll(
  db: UserDb,
  pollId: string,
  response: MutationResponse | null,
  nowMs: number,
): Promise<void> {
  if (response?.poll === null) return;
  await putFirst(db.mine, pollId, nowMs);
  if (response === null || response.poll.active) await putFirst(db.feed, pollId, nowMs);
}

async function removeApplied({ db }: Drain, applied: readonly Applied[]): Promise<void> {
  await removeOps(
    db,
    applied.map(({ op }) => op.opId),
  );
}

type NotApplied = Exclude<Outcome, { kind: 'applied' }>;

async function store(drain: Drain, op: Op, outcome: NotApplied): Promise<EngineEvent[]> {
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

/** Returns no event when another tab has stored this refusal already. */
async function reject({ db }: Drain, op: Op, error: OpError): Promise<EngineEvent[]> {
  if (op.isRepeated === true && operationOf(op).newPoll === null) {
    // Its success was shown before; the state of the restored server is shown instead.
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

/** The session has ended or is another user's: all ops wait until this user is logged in. No attempt is counted. */
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
  const tries = Math.max(attempts, drain.backoff[drain.lane].failures);
  const delayMs = keepsFailing({ failedUploads })
    ? failingUploadDelayMs({ failedUploads })
    : retryDelayMs(tries, retryAfterMs, drain.random(), error);
  const nextAttemptAt = drain.clock.now() + delayMs;
  const changes: Partial<Op> = { state: 'queued', leaseOwner: null, lastError: error };
  // Reset to never leased: the server cannot have it.
  if (isUnsent && isFirstLease(op)) Object.assign(changes, NEVER_SENT);
  await modifyLeased(drain, [op], { ...changes, attempts, failedUploads, nextAttemptAt });
}
