import type { QueuedOp } from '#sync/protocol/op.ts';
import { block, unblock } from './block.ts';
import { changeVote } from './change-vote.ts';
import { createPoll } from './create-poll.ts';
import { markRead } from './mark-read.ts';
import type { Lane, Operation, SmallOperation } from './operation.ts';
import { report, takeBackReport } from './report.ts';
import { unknownOperation } from './unknown.ts';
import { vote } from './vote.ts';

const SMALL_OPERATIONS = { vote, changeVote, report, takeBackReport, block, unblock, markRead };
/** Every operation that can be queued. */
const OPERATIONS = { ...SMALL_OPERATIONS, createPoll };

export type OpType = keyof typeof OPERATIONS;
type PayloadOf<Type extends OpType> =
  (typeof OPERATIONS)[Type] extends Operation<infer Payload> ? Payload : never;

/** A stored op, typed by its operation. A row written by a newer version may have another type: see `laneOf`. */
export type Op = { [Type in OpType]: QueuedOp<PayloadOf<Type>> & { type: Type } }[OpType];
export type VoteOp = Extract<Op, { type: 'vote' }>;
export type CreatePollOp = Extract<Op, { type: 'createPoll' }>;

type SmallOpType = keyof typeof SMALL_OPERATIONS;
/** The type and payload of a small op that is to be queued. If it is about a poll, the poll's texts are then added. */
export type SmallOpInput = { [Type in SmallOpType]: { type: Type; payload: PayloadOf<Type> } }[SmallOpType];

/** Returns the operation of an op. Its functions accept only the payload of this op. */
export function operationOf(op: Pick<QueuedOp, 'type' | 'schemaVersion'>): Operation<unknown> {
  return isKnown(op) ? operationOfType(op.type as OpType) : unknownOperation;
}

/** Whether an op creates a poll. */
export function createsPoll<AnyOp extends Pick<QueuedOp, 'type' | 'schemaVersion'>>(
  op: AnyOp,
): op is AnyOp & { type: 'createPoll' } {
  return operationOf(op).newPoll !== null;
}

/** Returns the operation of this name. */
export function operationOfType(type: OpType): Operation<unknown> {
  return OPERATIONS[type] as Operation<unknown>;
}

/** Returns the small operation of this name. */
export function smallOperationOfType(type: SmallOpType): SmallOperation<unknown> {
  return SMALL_OPERATIONS[type] as SmallOperation<unknown>;
}

function isKnown({ type, schemaVersion }: Pick<QueuedOp, 'type' | 'schemaVersion'>): boolean {
  return Object.hasOwn(OPERATIONS, type) && schemaVersion <= OPERATIONS[type as OpType].schemaVersion;
}

/**
 * Returns the lane of an op. Undefined if this version does not know its type or `schemaVersion`: the op waits for a newer
 * version of the app.
 */
export function laneOf(op: Pick<QueuedOp, 'type' | 'schemaVersion'>): Lane | undefined {
  return isKnown(op) ? operationOf(op).lane : undefined;
}
