import { votePercentages } from '#shared/polls/rules.ts';
import type { Option, Poll } from '#shared/polls/schema.ts';
import type { PollView } from '#sync/operations/operation.ts';
import { isWaitingUnsent, type QueuedOp } from '#sync/protocol/op.ts';

/** An op that takes longer than this is shown as waiting. */
export const RESPONSE_WAIT_MS = 1_000;

/**
 * What the card of a poll shows.
 * - `open`: vote buttons
 * - `changing`: vote buttons again, to move the vote to the other option
 * - `sending`: just voted; not stored yet, or its response is expected at any moment. Also a confirmed vote whose results are
 *   not on this device
 * - `waiting`: the vote is stored, and waiting to be sent
 * - `unsent` (shown as "Not sent"): the op is in the state `needs_attention`, mostly because the server has refused it several
 *   times with the outcome `unclear`, and the user has to decide; a `rejected` vote is `closed` or `results`
 * - `results`: percentages and a bar; `share` is the share of option A, from 0 to 1
 * - `closed`: neither buttons nor results (own poll without votes, refused vote, or results not on this device)
 * - `unposted`: the poll itself is on this device only: it waits to be sent, or needs a decision
 */
export type PollCardState =
  | { kind: 'open' }
  | { kind: 'changing' | 'sending' | 'waiting' | 'unsent'; vote: Option }
  | { kind: 'results'; vote: Option | null; share: number; percent: Record<Option, number> }
  | { kind: 'closed' }
  | { kind: 'unposted' };

type Context = { tapped: Option | null; isChanging: boolean; isVoteWaiting: boolean };

/** The state of a poll's card. `tapped` is an option whose op is not stored yet; `isVoteWaiting` comes from `useIsWaiting`. */
export function cardStateOf(
  { poll, vote, voteOp, createOp }: PollView,
  { tapped, isChanging, isVoteWaiting }: Context,
): PollCardState {
  if (createOp !== null) return { kind: 'unposted' };
  // Not `waiting` even offline: that promises that the vote is stored.
  if (tapped !== null) return { kind: 'sending', vote: tapped };
  if (vote !== null && isChanging && poll.status === 'active') return { kind: 'changing', vote };
  if (vote !== null && voteOp !== null && voteOp.state !== 'rejected') {
    if (voteOp.state === 'needs_attention') return { kind: 'unsent', vote };
    return { kind: isVoteWaiting ? 'waiting' : 'sending', vote };
  }
  // Checked before the results, since administrators see the results of polls that they can still vote on.
  if (vote === null && voteOp === null && poll.status === 'active' && !poll.isMine) return { kind: 'open' };
  return (
    resultsStateOf(poll.results, vote) ?? (vote === null ? { kind: 'closed' } : { kind: 'sending', vote })
  );
}

/** The state `results` of a card; null if the results are unknown or contain no votes. */
export function resultsStateOf(results: Poll['results'], vote: Option | null): PollCardState | null {
  if (results === null || results.option1 + results.option2 === 0) return null;
  const { option1, option2 } = results;
  return { kind: 'results', vote, share: option1 / (option1 + option2), percent: votePercentages(results) };
}

/**
 * Whether the response to a new op is expected at any moment, so that the op is not shown as waiting yet. `nowMs` is by the
 * device's clock.
 */
export function isResponseExpected(op: QueuedOp, nowMs: number, isOnline: boolean): boolean {
  // `attempts` matters if the clock has been set back since: then the op looks new for as long as that.
  const isNew = op.lastError === null && op.attempts === 0 && nowMs - op.createdAt < RESPONSE_WAIT_MS;
  return isNew && isOnline && op.state !== 'blocked_auth';
}

/**
 * The number of votes that the results contain, if they are known. `votesCount` may be newer: live updates change only this
 * number, until the results have been fetched.
 */
export function shownVotesOf({ results, votesCount }: Pick<Poll, 'results' | 'votesCount'>): number {
  return results === null ? votesCount : results.option1 + results.option2;
}

const CLOSED_LABELS = { completed: 'Completed', expired: 'Expired', inactive: 'Inactive' } as const;

/** The word for the status of a closed poll. A poll that was closed early may have been deactivated since. */
export function closedLabelOf(status: keyof typeof CLOSED_LABELS, closedEarly: Poll['closedEarly']): string {
  return closedEarly && status === 'expired' ? 'Closed early' : CLOSED_LABELS[status];
}

export function chosenOptionOf(cardState: PollCardState): Option | null {
  return 'vote' in cardState ? cardState.vote : null;
}

/**
 * Whether a vote can be changed.
 * - `offered`: yes
 * - `open`: it is being changed, and the vote buttons are shown
 * - `waiting`: a change is waiting to be sent; `previousVote` is the vote that it replaces. `isOffered`: whether the change can
 *   still be taken back
 * - null: no
 */
export type VoteChange =
  | { kind: 'offered' | 'open' }
  | { kind: 'waiting'; previousVote: Option; isOffered: boolean }
  | null;

/**
 * While a poll is open, a waiting vote can be changed, and a waiting change taken back that was never sent; a counted vote can be
 * changed a limited number of times. A compact card shows no link while a vote waits, and only the poll's page offers to take back
 * a change.
 */
export function voteChangeOf({ poll, voteOp }: PollView, cardState: PollCardState): VoteChange {
  if (cardState.kind === 'changing') return { kind: 'open' };
  if (poll.status !== 'active') return null;
  if (cardState.kind === 'waiting') {
    if (voteOp?.type !== 'changeVote') return { kind: 'offered' };
    return {
      kind: 'waiting',
      previousVote: cardState.vote === 1 ? 2 : 1,
      isOffered: isWaitingUnsent(voteOp),
    };
  }
  const changesLeft = poll.votes[0]?.changesLeft ?? 0;
  return cardState.kind === 'results' && changesLeft > 0 ? { kind: 'offered' } : null;
}

/** The vote op, rejected or in the state `needs_attention`, about which the card shows a notice; null when there is none. */
export function refusedVoteOf({ voteOp }: PollView, cardState: PollCardState): PollView['voteOp'] {
  return voteOp?.state === 'rejected' || cardState.kind === 'unsent' ? voteOp : null;
}

/** Whether two views of a poll look the same, so that its card need not be rendered again. */
export function looksTheSame(a: PollView, b: PollView): boolean {
  return (
    a.poll.id === b.poll.id &&
    a.poll.rev === b.poll.rev &&
    a.poll.status === b.poll.status &&
    a.poll.closedEarly === b.poll.closedEarly &&
    a.poll.hidden === b.poll.hidden &&
    a.poll.removedFor === b.poll.removedFor &&
    a.poll.votesCount === b.poll.votesCount &&
    a.poll.user?.username === b.poll.user?.username &&
    a.poll.results?.option1 === b.poll.results?.option1 &&
    a.poll.results?.option2 === b.poll.results?.option2 &&
    a.vote === b.vote &&
    a.poll.votes[0]?.changesLeft === b.poll.votes[0]?.changesLeft &&
    a.voteOp?.opId === b.voteOp?.opId &&
    a.voteOp?.state === b.voteOp?.state &&
    a.voteOp?.attempts === b.voteOp?.attempts &&
    a.createOp?.opId === b.createOp?.opId &&
    a.createOp?.state === b.createOp?.state
  );
}
