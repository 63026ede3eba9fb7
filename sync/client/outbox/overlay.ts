import type { User } from '#shared/accounts/schema.ts';
import { pollStatus } from '#shared/polls/rules.ts';
import type { Poll } from '#shared/polls/schema.ts';
import type { PollView } from '#sync/operations/operation.ts';
import { laneOf, type Op, operationOf } from '#sync/operations/registry.ts';

/** Points for the header: what the server confirmed, what waits, and what can be spent now. */
export type PointsView = {
  confirmed: number;
  pendingEarned: number;
  pendingSpent: number;
  spendable: number;
  waitingOps: number;
};

/** Whether an op's effect is still expected and understood, so that the screen shows it. */
export function isPending(op: Op): boolean {
  return op.state !== 'rejected' && laneOf(op) !== undefined;
}

/** Whether nothing more happens to `op` before the person decides. */
export function needsDecision(op: Pick<Op, 'state'>): boolean {
  return op.state === 'rejected' || op.state === 'needs_attention';
}

/** `poll` with the ops of the same poll laid over it (lowest `seq` first), its status derived at `serverNowMs`. */
export function overlayPoll(poll: Poll, ops: readonly Op[], serverNowMs: number): PollView {
  const expired = poll.status === 'active' && pollStatus(poll, serverNowMs) === 'expired';
  const confirmed: PollView = {
    poll: expired ? { ...poll, status: 'expired' } : poll,
    vote: poll.votes[0]?.option ?? null,
    voteOp: null,
    createOp: null,
  };
  return ops
    .filter((op) => op.entityId === poll.id && laneOf(op) !== undefined)
    .reduce((view, op) => operationOf(op).overlay(view, op, isPending(op)), confirmed);
}

/** The view of a poll that exists only in the queue; null for an op that makes none. */
export function viewOfNewPoll(op: Op, user: User): PollView | null {
  const poll = isPending(op) ? operationOf(op).newPoll?.(op, user) : undefined;
  return poll === undefined ? null : { poll, vote: null, voteOp: null, createOp: op };
}

/** The points of `user` with every waiting op counted: earnings cannot be spent, costs already are. */
export function overlayPoints(user: User, ops: readonly Op[]): PointsView {
  // The server may count what is only repeated.
  const pending = ops.filter((op) => isPending(op) && op.isRepeated !== true);
  let pendingEarned = 0;
  let pendingSpent = 0;
  for (const op of pending) {
    const { earned, spent } = operationOf(op).points(op.payload);
    pendingEarned += earned;
    pendingSpent += spent;
  }
  return {
    confirmed: user.points,
    pendingEarned,
    pendingSpent,
    spendable: Math.max(0, user.points - pendingSpent),
    waitingOps: pending.length,
  };
}
