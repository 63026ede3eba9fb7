import type { User } from '#shared/accounts/schema.ts';
import type { MutationResponse } from '#shared/polls/schema.ts';
import { dropPolls, putPolls, putUser, responseValidity } from '#sync/client/cache/cache.ts';
import { putFirst } from '#sync/client/cache/cached-lists.ts';
import { confirmMarkedRead } from '#sync/client/cache/cached-notifications.ts';
import { StorageFullError, withFreedSpace } from '#sync/client/cache/storage.ts';
import type { UserDb } from '#sync/client/db.ts';
import type { EngineEvent } from '#sync/client/emitter.ts';
import { keepAcknowledged } from '#sync/client/outbox/acknowledged.ts';
import { removeOps, waitingDependentsOf } from '#sync/client/outbox/discard.ts';
import { confirmVisibilityChanges } from '#sync/client/outbox/hidden.ts';
import { isFirstLease, modifyLeased } from '#sync/client/outbox/lease.ts';
import { failingUploadDelayMs, keepsFailing, retryDelayMs } from '#sync/client/outbox/retry.ts';
import { createsPoll, laneOf, type Op, operationOf } from '#sync/operations/registry.ts';
import { NEVER_SENT_FIELDS, needsDecision, type OpError } from '#sync/protocol/op.ts';
import type { Outcome } from '#sync/protocol/outcome.ts';
import type { Drain } from './drain-context.ts';

/** After this many attempts with the outcome `unclear`, the user decides. */
const UNCLEAR_REFUSALS_MAX = 5;
/** The shortest pause after the error `unknown_endpoint`: during a rolling upgrade, some processes lack a new call for minutes. */
const UNKNOWN_ENDPOINT_PAUSE_MS = 30_000;

/** The outcome of an attempt to send `op`. `epoch`: the epoch of the server that the op was sent to. */
export type OpOutcome = { op: Op; outcome: Outcome; epoch?: string | undefined };

/** How a lane continues: with the next op (`continue`), after a login (`blocked`), or after a pause. */
export type NextStep = 'continue' | 'blocked' | { pauseMs: number };

/**
 * The shortest pause after a response that the session is not valid. It prevents a loop of requests if the session check
 * (`onBlocked`) finds the session valid nevertheless.
 */
const BLOCKED_PAUSE_MS = 1_000;

/** Updates the lane's back-off after an outcome and returns how the lane continues. */
export function nextStep(drain: Drain, { op, outcome }: OpOutcome): NextStep {
  const { lane, backoff, clock } = drain;
  const previous = backoff[lane];
  if (outcome.kind === 'blocked_auth') {
    const authFailures = previous.authFailures + 1;
    const pauseMs = Math.max(BLOCKED_PAUSE_MS, retryDelayMs(authFailures, null, drain.random()));
    backoff[lane] = { ...previous, authFailures, notBeforeMs: clock.now() + pauseMs };
    return 'blocked';
  }
  if (outcome.kind !== 'retry' || outcome.scope === 'op') {
    const lastFailedSeq = op.seq === previous.lastFailedSeq ? 0 : previous.lastFailedSeq;
    backoff[lane] = { failures: 0, lastFailedSeq, notBeforeMs: 0, authFailures: 0 };
    return 'continue';
  }
  const failures = previous.failures + 1;
  const pauseMs = retryDelayMs(Math.max(op.attempts + 1, failures), outcome.retryAfterMs, drain.random());
  // Only a `Retry-After` is binding: without one, an earlier drain, as when the network returns, may send at once.
  const notBeforeMs = outcome.retryAfterMs === null ? 0 : clock.now() + pauseMs;
  backoff[lane] = { failures, lastFailedSeq: op.seq, notBeforeMs, authFailures: previous.authFailures };
  return { pauseMs };
}

/**
 * Stores the outcomes in one transaction, then emits their events. On a full device, applied ops leave the queue even though
 * their responses cannot be cached; the data is fetched later.
 */
export async function settle(drain: Drain, outcomes: readonly OpOutcome[]): Promise<void> {
  const { db, storage } = drain;
  const events = await withFreedSpace(storage, db, () =>
    storeOutcomes(drain, outcomes, { cachesResponses: true }),
  ).catch(async (error: unknown) => {
    if (!(error instanceof StorageFullError)) throw error;
    const applied = await storeOutcomes(drain, outcomes.filter(isApplied).map(withoutResponse), {
      cachesResponses: false,
    });
    // If there is no space for the other outcomes either, their ops are sent again.
    const others = outcomes.filter((opOutcome) => !isApplied(opOutcome));
    return [...applied, ...(await storeOutcomes(drain, others, { cachesResponses: false }).catch(() => []))];
  });
  for (const event of events) drain.emit(event);
  if (outcomes.some(({ outcome }) => outcome.kind === 'blocked_auth')) drain.onBlocked();
}

async function storeOutcomes(
  drain: Drain,
  outcomes: readonly OpOutcome[],
  { cachesResponses }: { cachesResponses: boolean },
): Promise<EngineEvent[]> {
  const { db, userId } = drain;
  return db.transaction('rw', db.tables, async () => {
    const applied = outcomes.filter(isApplied);
    const response = applied.find(({ outcome }) => outcome.response !== null)?.outcome.response;
    // All ops were leased together and so have the same epoch, that of the cached user. The first release did not store it.
    const validity = await responseValidity(db, userId, outcomes[0]?.epoch ?? response?.user.epoch);
    // The current server does not know these ops, whatever the former server responded.
    if (validity === 'former_server') return [];
    // Another tab may have settled some of the ops.
    const rows = await db.ops
      .where('opId')
      .anyOf(applied.map(({ op }) => op.opId))
      .toArray();
    if (cachesResponses && validity === 'current') await cacheResponses(drain, applied, rows);
    await removeOps(db, rows);
    await removeRefusedBefore(db, rows);
    // Ops that are repeated because the server was restored have no event.
    const newlyApplied = new Set(rows.flatMap(({ opId, isRepeated }) => (isRepeated === true ? [] : [opId])));
    const events: EngineEvent[] = [];
    for (const opOutcome of outcomes) {
      const { op, outcome } = opOutcome;
      if (!isApplied(opOutcome)) events.push(...(await storeNotApplied(drain, op, outcome as NotApplied)));
      else if (newlyApplied.has(op.opId)) events.push(appliedEvent(opOutcome));
    }
    return events;
  });
}

type Applied = { op: Op; outcome: Extract<Outcome, { kind: 'applied' }>; epoch?: string | undefined };

/** Returns the outcome without its response. The poll and the user are then fetched. */
function withoutResponse({ outcome, ...rest }: Applied): Applied {
  return { ...rest, outcome: { ...outcome, response: null } };
}

function isApplied(opOutcome: OpOutcome): opOutcome is Applied {
  return opOutcome.outcome.kind === 'applied';
}

function appliedEvent({ op, outcome: { response, isNew } }: Applied): EngineEvent {
  return { type: 'applied', op, poll: response?.poll ?? null, isNew };
}

/** Caches the responses and what they confirm. `rows`: the ops that no other tab has settled. */
async function cacheResponses(drain: Drain, applied: readonly Applied[], rows: readonly Op[]): Promise<void> {
  const { db, clock } = drain;
  const responses = applied.flatMap(({ outcome }) => outcome.response ?? []);
  const newestUser = responses.reduce<User | null>(
    (newest, { user }) => (newest !== null && newest.rev >= user.rev ? newest : user),
    null,
  );
  if (newestUser !== null) await putUser(db, newestUser);
  await putPolls(
    db,
    responses.flatMap(({ poll }) => poll ?? []),
  );
  const withoutPoll = applied.filter(({ outcome }) => outcome.response?.poll === null);
  if (withoutPoll.length > 0) {
    await dropPolls(
      db,
      withoutPoll.map(({ op }) => op.entityId),
    );
  }
  for (const { op, outcome } of applied) {
    const isUnsettled = rows.some(({ opId }) => opId === op.opId);
    if (isUnsettled && createsPoll(op)) await listOwnPoll(db, op.entityId, outcome.response, clock.now());
  }
  await confirmVisibilityChanges(db, rows, clock.now());
  await confirmMarkedRead(db, rows, clock.now());
  await keepAcknowledged(db, rows, clock.now());
}

/** Puts the user's new poll at the top of the lists. If the response could not be read (null), the poll is fetched later. */
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

/** Removes the refused ops before those of the `applied` ops that depend on others: of the same type, or depended on. */
async function removeRefusedBefore(db: UserDb, applied: readonly Op[]): Promise<void> {
  const dependents = applied.filter((op) => operationOf(op).dependsOn !== null);
  if (dependents.length === 0) return;
  const isReplaced = ({ entityId, seq, type }: Op) =>
    dependents.some(
      (op) => op.entityId === entityId && op.seq > seq && [op.type, operationOf(op).dependsOn].includes(type),
    );
  const refused = await db.ops
    .where('entityId')
    .anyOf(dependents.map(({ entityId }) => entityId))
    .and((op) => needsDecision(op) && isReplaced(op))
    .toArray();
  await removeOps(db, refused);
}

type NotApplied = Exclude<Outcome, { kind: 'applied' }>;

async function storeNotApplied(drain: Drain, op: Op, outcome: NotApplied): Promise<EngineEvent[]> {
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
      await postpone(drain, op, outcome, outcome.isUnsent === true ? {} : { mayHaveTakenEffect: true });
      return op.attempts === 0 ? [{ type: 'delayed', op }] : [];
  }
}

/**
 * Stores a permanent refusal, or removes the op if it was repeated because the server was restored and is not a creation, whose
 * content would be lost. Returns no event for a removed op, nor if another tab has already stored the refusal.
 */
async function reject({ db }: Drain, op: Op, error: OpError): Promise<EngineEvent[]> {
  if (op.isRepeated === true && !createsPoll(op)) {
    // The success of the op was shown before the restore. Now the state of the restored server is shown, without a message.
    await removeOps(db, await db.ops.where('opId').equals(op.opId).toArray());
    return [];
  }
  if (operationOf(op).dropsMissingPoll && error.code === 'not_found') await dropPolls(db, [op.entityId]);
  const row = await db.ops.where('opId').equals(op.opId).first();
  if (row === undefined || row.state === 'rejected') return [];
  // Without the vote its changes would be refused, too: the refusal is about the option that was chosen last.
  const dependents = error.code === 'already_voted' ? [] : await waitingDependentsOf(db, op);
  await removeOps(db, dependents);
  const refused = { ...op, payload: dependents.at(-1)?.payload ?? op.payload } as Op;
  const { payload } = refused;
  await db.ops.update(row.seq, { state: 'rejected', lastError: error, leaseOwner: null, payload });
  return [{ type: 'rejected', op: refused, error }];
}

async function storeUnclear(drain: Drain, op: Op, error: OpError): Promise<void> {
  const refusals = (op.refusals ?? 0) + 1;
  if (refusals < UNCLEAR_REFUSALS_MAX) {
    const retryAfterMs = error.code === 'unknown_endpoint' ? UNKNOWN_ENDPOINT_PAUSE_MS : null;
    await postpone(drain, op, { retryAfterMs, error, isFailedUpload: false }, { refusals });
    return;
  }
  const attempts = op.attempts + 1;
  const changes: Partial<Op> = { state: 'needs_attention', lastError: error, leaseOwner: null };
  await modifyLeased(drain, [op], { ...changes, refusals, attempts });
}

/** Blocks `op` and all queued ops until this user is logged in again. No attempt is counted. */
async function blockQueue(drain: Drain, op: Op): Promise<void> {
  await modifyLeased(drain, [op], { state: 'blocked_auth', leaseOwner: null });
  await drain.db.ops.where('state').equals('queued').modify({ state: 'blocked_auth' });
}

type Postponed = Pick<
  Extract<Outcome, { kind: 'retry' }>,
  'retryAfterMs' | 'error' | 'isFailedUpload' | 'isUnsent'
>;

async function postpone(
  drain: Drain,
  op: Op,
  { retryAfterMs, error, isFailedUpload, isUnsent = false }: Postponed,
  outcomeFields: Pick<Op, 'refusals' | 'mayHaveTakenEffect'>,
): Promise<void> {
  const attempts = op.attempts + 1;
  const failedUploads = (op.failedUploads ?? 0) + (isFailedUpload && laneOf(op) === 'creations' ? 1 : 0);
  const failedAttempts = Math.max(attempts, drain.backoff[drain.lane].failures);
  const delayMs = keepsFailing({ failedUploads })
    ? Math.max(failingUploadDelayMs({ failedUploads }), retryAfterMs ?? 0)
    : retryDelayMs(failedAttempts, retryAfterMs, drain.random());
  const nextAttemptAt = drain.clock.now() + delayMs;
  const changes: Partial<Op> = { state: 'queued', leaseOwner: null, lastError: error };
  // The server cannot have received the op, so it counts as never leased.
  if (isUnsent && isFirstLease(op)) Object.assign(changes, NEVER_SENT_FIELDS);
  await modifyLeased(drain, [op], { ...changes, ...outcomeFields, attempts, failedUploads, nextAttemptAt });
}
