import { cmp } from 'dexie';
import { v4 as uuidv4, v7 as uuidv7 } from 'uuid';
import type { OpBlob, UserDb } from '#sync/client/db.ts';
import type { EngineErrorCode } from '#sync/client/engine-errors.ts';
import type { CreatePollPayload } from '#sync/operations/create-poll.ts';
import {
  type CreatePollOp,
  createsPoll,
  laneOf,
  type Op,
  type OpType,
  operationOfType,
  type SmallOpInput,
  smallOperationOfType,
} from '#sync/operations/registry.ts';
import {
  isNeverSent,
  NOT_ATTEMPTED_FIELDS,
  needsDecision,
  type OpState,
  STARTED_OVER_FIELDS,
} from '#sync/protocol/op.ts';
import { sha256Hex } from './blobs.ts';
import { removeOps } from './discard.ts';
import type { PollDraft } from './poll-draft.ts';
import { keepsFailing } from './retry.ts';

type NewOp = { [Type in OpType]: Omit<Extract<Op, { type: Type }>, 'seq'> }[OpType];

/** The most polls, waiting or refused, in the outbox of a user, so that their images never fill the device. */
export const QUEUED_POLLS_MAX = 20;

/** The op was cancelled before it was stored: the app has already reported a failure. */
class CancelledError extends Error {
  override name = 'CancelledError';
  readonly code: EngineErrorCode = 'cancelled';
}

/** The poll to be replaced may have reached the server already. */
export class PollAlreadySentError extends Error {
  override name = 'PollAlreadySentError';
  readonly code: EngineErrorCode = 'poll_already_sent';
}

/** The outbox already has `QUEUED_POLLS_MAX` polls. */
export class OutboxFullError extends Error {
  override name = 'OutboxFullError';
  readonly code: EngineErrorCode = 'outbox_full';
}

/** The fields of a new op, apart from its type and payload. */
function envelope(type: OpType, userId: number, entityId: string, nowMs: number) {
  return {
    opId: uuidv4(),
    userId,
    schemaVersion: operationOfType(type).schemaVersion,
    entityId,
    ...NOT_ATTEMPTED_FIELDS,
    firstLeasedAt: null,
    createdAt: nowMs,
  };
}

async function addOp(db: UserDb, newOp: NewOp): Promise<void> {
  // An op that only a newer version of the app knows keeps its request and waits for that version.
  const isKnown = laneOf(newOp) !== undefined;
  const op = isKnown ? { ...newOp, request: operationOfType(newOp.type).request(newOp.payload) } : newOp;
  // Dexie adds the sequence number; its types do not support a union of rows without their key.
  await db.ops.add(op as Op);
}

/**
 * Queues a small op as `queueChange` of its operation decides. Resolves once the op is stored durably. Rejects and stores
 * nothing if `isCancelled` returns true.
 */
export async function queueOp(
  db: UserDb,
  userId: number,
  { type, payload }: SmallOpInput,
  nowMs: number,
  isCancelled: () => boolean = () => false,
): Promise<void> {
  const operation = smallOperationOfType(type);
  const entityId = operation.entityOf(payload);
  await db.transaction('rw', db.ops, db.polls, async () => {
    const earlier = await db.ops.where('entityId').equals(entityId).sortBy('seq');
    if (isCancelled()) throw new CancelledError();
    const poll = await db.polls.get(entityId);
    const { removes, adds } = operation.queueChange(payload, earlier, poll);
    await db.ops.bulkDelete(removes.map(({ seq }) => seq));
    if (adds === null) return;
    const added = adds as SmallOpInput;
    await addOp(db, { ...envelope(added.type, userId, entityId, nowMs), ...added } as NewOp);
  });
}

type QueuePollOptions = {
  /** The id of the refused op that the new op replaces in the same transaction, because the user has edited its poll. */
  replacesOpId?: string | undefined;
  /** Called before anything is stored. Returns true once the app has reported to the user that the poll could not be stored. */
  isCancelled?: () => boolean;
};

/**
 * Queues a poll with its two images. Resolves with the poll's id once everything is stored durably. A draft that is submitted
 * twice (by two tabs, or again after a crash) results in one poll. Throws `OutboxFullError` if the outbox is full, and
 * `PollAlreadySentError` if the poll to be replaced may have been sent.
 */
export async function queuePoll(
  db: UserDb,
  userId: number,
  draft: PollDraft,
  nowMs: number,
  { replacesOpId, isCancelled = () => false }: QueuePollOptions = {},
): Promise<string> {
  const newId = draft.pollId ?? uuidv7();
  const op: NewOp & { type: 'createPoll' } = {
    ...envelope('createPoll', userId, newId, nowMs),
    type: 'createPoll',
    payload: {
      pollId: newId,
      question: draft.question.trim(),
      option1Caption: draft.option1Caption.trim(),
      option2Caption: draft.option2Caption.trim(),
      durationDays: draft.durationDays,
      responsesWanted: draft.responsesWanted,
    },
  };
  const blobs: OpBlob[] = [];
  for (const [index, image] of draft.images.entries()) {
    const slot = index === 0 ? 1 : 2;
    blobs.push({ opId: op.opId, slot, ...image, sha256: await sha256Hex(image.bytes) });
  }
  return db.transaction('rw', db.ops, db.opBlobs, async () => {
    const pollId = (await removeReplaced(db, replacesOpId)) ?? newId;
    const earlier = await findCreation(db, pollId);
    if (isCancelled()) throw new CancelledError();
    if (earlier !== undefined) {
      if (!needsDecision(earlier) && (await isSamePoll(db, earlier, op, blobs))) return pollId;
      // The draft has changed since then. The queued poll is replaced if it was refused or certainly not sent.
      if (!needsDecision(earlier) && !isNeverSent(earlier)) throw new PollAlreadySentError();
      await removeOps(db, [earlier]);
    }
    const creationCount = await db.ops.filter(createsPoll).count();
    if (creationCount >= QUEUED_POLLS_MAX) throw new OutboxFullError();
    await addOp(db, { ...op, entityId: pollId, payload: { ...op.payload, pollId } });
    await db.opBlobs.bulkPut(blobs);
    return pollId;
  });
}

/** Whether a queued creation has the same content as `op`, apart from the id of the poll. */
async function isSamePoll(
  db: UserDb,
  queued: CreatePollOp,
  op: Pick<CreatePollOp, 'payload'>,
  blobs: readonly OpBlob[],
): Promise<boolean> {
  const fieldsOf = ({ pollId: _pollId, ...fields }: CreatePollPayload) => JSON.stringify(fields);
  const queuedBlobs = await db.opBlobs.where('opId').equals(queued.opId).sortBy('slot');
  // Compares bytes instead of hashes, which are empty outside of a secure context.
  const hasSameImages = blobs.every(({ bytes }, index) => cmp(queuedBlobs[index]?.bytes, bytes) === 0);
  return hasSameImages && fieldsOf(queued.payload) === fieldsOf(op.payload);
}

async function findCreation(db: UserDb, pollId: string): Promise<CreatePollOp | undefined> {
  const ops = await db.ops.where('entityId').equals(pollId).toArray();
  return ops.find(createsPoll);
}

/**
 * Removes the refused op `opId` and resolves with the id for the poll that replaces it: the same id, so that a poll that has
 * reached the server is not created twice, or a new id if the old id was taken. Null if the op does not exist or was not
 * refused.
 */
async function removeReplaced(db: UserDb, opId: string | undefined): Promise<string | null> {
  if (opId === undefined) return null;
  const op = await db.ops.where('opId').equals(opId).first();
  if (op === undefined || !needsDecision(op)) return null;
  await removeOps(db, [op]);
  return op.lastError?.code === 'id_taken' ? uuidv7() : op.entityId;
}

/** Queues a refused op again under a new id, and with a new poll id if the old poll id was taken. */
export async function requeueOp(db: UserDb, opId: string): Promise<void> {
  await db.transaction('rw', db.ops, db.opBlobs, async () => {
    const op = await db.ops.where('opId').equals(opId).first();
    if (op === undefined || !needsDecision(op)) return;
    const { seq: _seq, ...rest } = op;
    const newOp = copyOfRefused(rest as NewOp);
    const blobs = await db.opBlobs.where('opId').equals(opId).toArray();
    await removeOps(db, [op]);
    await addOp(db, newOp);
    await db.opBlobs.bulkPut(blobs.map((blob) => ({ ...blob, opId: newOp.opId })));
  });
}

/** A copy of a refused op that starts over under a new id. It counts as sent if the server may have applied the refused one. */
function copyOfRefused(op: NewOp): NewOp {
  const mayBeApplied =
    op.state === 'needs_attention' &&
    op.mayHaveTakenEffect === true &&
    op.lastError?.code !== 'server_replaced';
  const newFields = {
    ...STARTED_OVER_FIELDS,
    opId: uuidv4(),
    isRepeated: false,
    mayHaveTakenEffect: mayBeApplied,
    ...(!mayBeApplied && { firstLeasedAt: null }),
  };
  if (!createsPoll(op) || op.lastError?.code !== 'id_taken') return { ...op, ...newFields };
  const pollId = uuidv7();
  return { ...op, ...newFields, entityId: pollId, payload: { ...op.payload, pollId } };
}

/** Moves every op from one state to another and makes it due. */
export async function moveOps(db: UserDb, from: OpState, to: OpState): Promise<void> {
  await db.ops.where('state').equals(from).modify({ state: to, nextAttemptAt: 0 });
}

/**
 * Makes every op due that waits only because the server could not be reached. Ops that the server has postponed keep their
 * retry time, and so do polls whose upload keeps failing, unless the server was unreachable until now (`wasUnreachable`).
 */
export async function resetOpBackoff(db: UserDb, { wasUnreachable = false } = {}): Promise<void> {
  const hasBackoff = (op: Op) =>
    op.nextAttemptAt !== 0 || op.attempts !== 0 || (wasUnreachable && (op.failedUploads ?? 0) !== 0);
  await db.ops
    .where('state')
    .equals('queued')
    // Writes only ops that change: each write makes every open tab read its lists again.
    .and((op) => hasBackoff(op) && op.lastError === null && (wasUnreachable || !keepsFailing(op)))
    .modify((op) => {
      op.nextAttemptAt = 0;
      op.attempts = 0;
      if (wasUnreachable) op.failedUploads = 0;
    });
}

/** Makes one waiting op due. */
export async function makeDue(db: UserDb, opId: string): Promise<void> {
  await db.ops
    .where('opId')
    .equals(opId)
    .and((op) => op.state === 'queued')
    .modify({ nextAttemptAt: 0 });
}
