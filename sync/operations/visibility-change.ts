import { isNeverSent, isWaitingUnsent, needsDecision, type QueuedOp } from '#sync/protocol/op.ts';
import type { QueueChange } from './operation.ts';

/** The keys of a poll and of a maker in the store `hidden`, which has what the user reported or blocked. */
export const pollKey = (pollId: string) => `poll ${pollId}`;
export const makerKey = (username: string) => `maker ${username.toLowerCase()}`;

/**
 * Returns how the queue changes when an op of `type`, which undoes ops of type `opposite`, is added. Unsent and refused ops
 * of both types are removed. If other ops remain, the op is added unless the latest of them has its type already. If none
 * remain, it is added, with one exception: the removal of an opposite op is enough if the screen still showed that op's effect
 * and the server has certainly not applied it.
 */
export function queueChangeWithOpposite<Payload>(
  { type, opposite }: { type: string; opposite: string },
  payload: Payload,
  earlier: readonly QueuedOp[],
): QueueChange<Payload> {
  const related = earlier.filter((op) => op.type === type || op.type === opposite);
  const removes = related.filter((op) => needsDecision(op) || isWaitingUnsent(op));
  const lastSent = related.findLast((op) => !removes.includes(op));
  const adds = { type, payload };
  if (lastSent !== undefined) return { removes, adds: lastSent.type === type ? null : adds };
  // A rejected op no longer changes what the screen shows, so the new op is about the server's state and is sent. An op in
  // `needs_attention` still does, so its removal can be enough.
  const isUndone = removes.some((op) => op.type === opposite && op.state !== 'rejected' && !mayBeApplied(op));
  return { removes, adds: isUndone ? null : adds };
}

/** Whether the server may have applied an op: in an attempt without a refusal, or before another drain took it over. */
function mayBeApplied(op: QueuedOp): boolean {
  if (isNeverSent(op) || op.lastError?.code === 'server_replaced') return false;
  // Ops of earlier versions have no `mayHaveTakenEffect`; for them, any attempt that was not refused counts.
  return op.mayHaveTakenEffect === true || op.wasTakenOver === true || op.attempts > (op.refusals ?? 0);
}
