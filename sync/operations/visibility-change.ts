import { isUnsent, needsDecision, type QueuedOp } from '#sync/protocol/op.ts';
import type { QueueChange } from './operation.ts';

/** The keys of a hidden poll and of a maker whose polls are hidden. */
export const pollKey = (pollId: string) => `poll ${pollId}`;
export const makerKey = (username: string) => `maker ${username.toLowerCase()}`;

/**
 * Returns how the queue changes when an op of `type`, which undoes ops of type `opposite`, is added. Unsent and refused ops
 * of both types are removed. Nothing is added if the latest of the remaining ops has this type already, or if the removal of
 * an opposite op, which certainly had no effect, is enough.
 */
export function queueVisibilityChange<Payload>(
  { type, opposite }: { type: string; opposite: string },
  payload: Payload,
  earlier: readonly QueuedOp[],
): QueueChange<Payload> {
  const related = earlier.filter((op) => op.type === type || op.type === opposite);
  const removes = related.filter((op) => needsDecision(op) || isUnsent(op));
  const lastSent = related.findLast((op) => !removes.includes(op));
  const adds = { type, payload };
  if (lastSent !== undefined) return { removes, adds: lastSent.type === type ? null : adds };
  const isUndone = removes.some(
    (op) => op.type === opposite && op.state !== 'rejected' && !mayHaveTakenEffect(op),
  );
  return { removes, adds: isUndone ? null : adds };
}

/** Whether at least one attempt ended without a refusal (no response, or a 5xx), so that the server may have applied the op. */
function mayHaveTakenEffect(op: QueuedOp): boolean {
  return !isUnsent(op) && op.attempts > (op.refusals ?? 0);
}
