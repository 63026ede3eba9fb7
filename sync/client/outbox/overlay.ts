import type { User } from '#shared/accounts/schema.ts';
import { VOTE_POINTS } from '#shared/points/constants.ts';
import { DAY_MS } from '#shared/polls/constants.ts';
import { pollCost, pollStatus } from '#shared/polls/rules.ts';
import type { Option, Poll } from '#shared/polls/schema.ts';
import { type CreatePollOp, laneOf, type Op, type VoteOp } from '#sync/protocol/op.ts';

/**
 * A poll as the screen shows it: the server's truth with this device's waiting changes laid over it.
 * - `vote`: the option the person chose, confirmed or not; null when they have not voted
 * - `voteOp`: the vote's op while it waits or needs a decision (`rejected`, `needs_attention`)
 * - `createOp`: the creation's op while the poll exists on this device only
 */
export type PollView = {
  poll: Poll;
  vote: Option | null;
  voteOp: VoteOp | null;
  createOp: CreatePollOp | null;
};

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

/** `poll` with the ops of the same poll laid over it, its status derived at `serverNowMs`. */
export function overlayPoll(poll: Poll, ops: readonly Op[], serverNowMs: number): PollView {
  const voteOp = ops.find((op): op is VoteOp => op.type === 'vote' && op.entityId === poll.id) ?? null;
  const confirmed = poll.votes[0]?.option ?? null;
  const pending = voteOp !== null && isPending(voteOp) ? voteOp.payload.option : null;
  const expired = poll.status === 'active' && pollStatus(poll, serverNowMs) === 'expired';
  return {
    poll: expired ? { ...poll, status: 'expired' } : poll,
    vote: confirmed ?? pending,
    voteOp: confirmed === null || voteOp?.state === 'rejected' ? voteOp : null,
    createOp: null,
  };
}

/** A poll that exists only in the queue, as a view: local pictures, no results, not open to votes. */
export function viewOfCreation(op: CreatePollOp, user: User): PollView {
  const { payload } = op;
  return {
    poll: {
      id: payload.pollId,
      question: payload.question,
      user: { username: user.username },
      option1Image: '',
      option2Image: '',
      option1Caption: payload.option1Caption.trim() || null,
      option2Caption: payload.option2Caption.trim() || null,
      option1Preview: null,
      option2Preview: null,
      option1Size: null,
      option2Size: null,
      votesCount: 0,
      commentCount: 0,
      createdAt: new Date(op.createdAt).toISOString(),
      closesAt: new Date(op.createdAt + payload.durationDays * DAY_MS).toISOString(),
      duration: payload.durationDays,
      active: true,
      responsesWanted: payload.responsesWanted,
      status: 'active',
      votes: [],
      results: null,
      isMine: true,
      isSample: false,
      rev: 0,
    },
    vote: null,
    voteOp: null,
    createOp: op,
  };
}

/** The points of `user` with every waiting op counted: earnings cannot be spent, costs already are. */
export function overlayPoints(user: User, ops: readonly Op[]): PointsView {
  // The server may count what is only repeated.
  const pending = ops.filter((op) => isPending(op) && op.isRepeated !== true);
  let pendingEarned = 0;
  let pendingSpent = 0;
  for (const op of pending) {
    if (op.type === 'vote') pendingEarned += VOTE_POINTS;
    else pendingSpent += pollCost(op.payload.responsesWanted);
  }
  return {
    confirmed: user.points,
    pendingEarned,
    pendingSpent,
    spendable: Math.max(0, user.points - pendingSpent),
    waitingOps: pending.length,
  };
}
