import type { User } from '#shared/accounts/schema.ts';
import { pollStatus } from '#shared/polls/rules.ts';
import type { Poll } from '#shared/polls/schema.ts';
import type { PollView } from '#sync/operations/operation.ts';
import { type Op, operationOf } from '#sync/operations/registry.ts';

/** A user's points: confirmed by the server, earned and spent by pending ops, and available to spend. */
export type PointsView = {
  confirmed: number;
  pendingEarned: number;
  pendingSpent: number;
  spendable: number;
};

/**
 * Whether the screen shows the expected effect of an op: until it is rejected, and so also in the state `needs_attention`. (An
 * op of an operation that this version does not know has no effect.)
 */
export function isPending(op: Op): boolean {
  return op.state !== 'rejected';
}

/** Returns the view of `poll` with the effect of its ops (lowest `seq` first) and its status at `serverNowMs`. */
export function overlayPoll(poll: Poll, ops: readonly Op[], serverNowMs: number): PollView {
  const isExpired = poll.status !== 'inactive' && pollStatus(poll, serverNowMs) === 'expired';
  const confirmed: PollView = {
    poll: isExpired ? { ...poll, status: 'expired' } : poll,
    vote: poll.votes[0]?.option ?? null,
    voteOp: null,
    createOp: null,
  };
  return ops
    .filter((op) => op.entityId === poll.id)
    .reduce((view, op) => operationOf(op).overlay(view, op, isPending(op)), confirmed);
}

/** Returns the view of a poll that exists only in the outbox; null if `op` does not create a poll. */
export function viewOfNewPoll(op: Op, user: User): PollView | null {
  const poll = isPending(op) ? operationOf(op).newPoll?.(op, user) : undefined;
  return poll === undefined ? null : { poll, vote: null, voteOp: null, createOp: op };
}

/** Returns the points of `user` with pending ops: expected earnings cannot be spent yet, costs are already deducted. */
export function overlayPoints(user: User, ops: readonly Op[]): PointsView {
  // The server may have counted repeated ops already.
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
  };
}
