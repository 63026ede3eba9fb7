import { isUnsent, needsDecision, type QueuedOp } from '#sync/protocol/op.ts';
import type { QueueChange } from './operation.ts';

/** The keys of what is hidden: a poll, or all polls of a maker. */
export const pollKey = (pollId: string) => `poll ${pollId}`;
export const makerKey = (username: string) => `maker ${username.toLowerCase()}`;

/**
 * The change of the queue when `type` is added, which undoes ops of type `opposite`. What was never sent is taken out of the
 * queue instead of being undone; what waits already is not added again.
 */
export function queueHiding<Payload>(
  { type, opposite }: { type: string; opposite: string },
  payload: Payload,
  earlier: readonly QueuedOp[],
): QueueChange<Payload> {
  const about = earlier.filter((op) => op.type === type || op.type === opposite);
  const removes = about.filter((op) => needsDecision(op) || isUnsent(op));
  const sent = about.findLast((op) => !removes.includes(op));
  const adds = { type, payload };
  if (sent !== undefined) return { removes, adds: sent.type === type ? null : adds };
  const isUndone = removes.some(
    (op) => op.type === opposite && op.state !== 'rejected' && !mayHaveTakenEffect(op),
  );
  return { removes, adds: isUndone ? null : adds };
}

/** Whether some attempt of an op was sent and had no response. */
function mayHaveTakenEffect(op: QueuedOp): boolean {
  return !isUnsent(op) && op.attempts > (op.refusals ?? 0);
}
