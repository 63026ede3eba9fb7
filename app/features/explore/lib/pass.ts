import type { DeckView } from '#sync/client/cache/deck-reads.ts';
import type { PollView } from '#sync/operations/operation.ts';
import { isWaitingUnsent } from '#sync/protocol/op.ts';

/** The direction in which a card leaves: to the side of the chosen option, or down if it is skipped. */
export type Direction = 'left' | 'right' | 'down';
/** The animation of a card that leaves the deck or returns to it. */
export type Motion = { pollId: string; kind: 'leaves' | 'returns'; direction: Direction };

type Step = { pollId: string; direction: Direction };

/**
 * One pass through the deck.
 * - `steps`: the cards that have left, voted on or skipped, oldest first; they are not shown again in this pass
 * - `held`: the id of the poll whose card is kept in front, because it was just voted on, brought back by Undo, or has a dialog
 * - `hasDialog`: whether that card has an open dialog, which would be removed with the card: it remains even if its poll closes
 */
export type Pass = { steps: readonly Step[]; held: string | null; hasDialog: boolean };

export const NEW_PASS: Pass = { steps: [], held: null, hasDialog: false };

/** How many steps Undo looks back for a card that can still be shown. */
const UNDO_LOOKBACK = 20;

/** The ids of the polls that the pass needs even if they have left the deck: the held poll and those that Undo can restore. */
export function pollIdsOf({ steps, held }: Pass): string[] {
  const undoableIds = steps.slice(-UNDO_LOOKBACK).map(({ pollId }) => pollId);
  return held === null ? undoableIds : [held, ...undoableIds];
}

/**
 * The cards to show, front card first; the number of cards that have left and are still open, which were skipped; the step that
 * Undo would take back, or null.
 */
export function dealCards(view: DeckView, pass: Pass) {
  const passedIds = new Set(pass.steps.map(({ pollId }) => pollId));
  const rest = view.open.filter(({ poll }) => !passedIds.has(poll.id) && poll.id !== pass.held);
  const heldCard = heldCardOf(view, pass);
  return {
    cards: heldCard === undefined ? rest : [heldCard, ...rest],
    skippedCount: view.open.filter(({ poll }) => passedIds.has(poll.id)).length,
    undoable: lastUndoable(view, pass),
  };
}

/** The card that is held in front; undefined if there is none, or if its poll must not be shown any more. */
export function heldCardOf(view: DeckView, { held, hasDialog }: Pass): PollView | undefined {
  const card = held === null ? undefined : viewOf(view, held);
  return card !== undefined && (canBeShown(card) || (hasDialog && !card.hidden)) ? card : undefined;
}

/** A poll of the deck or of the pass; undefined when it is not on this device. */
export function viewOf({ open, requested }: DeckView, pollId: string): PollView | undefined {
  const hasId = ({ poll }: PollView) => poll.id === pollId;
  return requested.find(hasId) ?? open.find(hasId);
}

function lastUndoable(view: DeckView, { steps }: Pass): { step: Step; view: PollView } | null {
  for (const step of steps.slice(-UNDO_LOOKBACK).toReversed()) {
    const candidate = viewOf(view, step.pollId);
    if (candidate !== undefined && canBeShown(candidate)) return { step, view: candidate };
  }
  return null;
}

function canBeShown({ poll, vote, voteOp, hidden }: PollView): boolean {
  return !hidden && (vote !== null || voteOp !== null || poll.status === 'active');
}

/** The pass after the card of `step` has left, voted on or skipped. */
export function withStep(pass: Pass, step: Step): Pass {
  return { steps: [...pass.steps, step], held: null, hasDialog: false };
}

/** The pass after Undo: without `step` and the steps after it, and with its card in front. */
export function withoutStep(pass: Pass, step: Step): Pass {
  return { steps: pass.steps.slice(0, pass.steps.indexOf(step)), held: step.pollId, hasDialog: false };
}

/**
 * Whether Undo may change the vote, even one that is still waiting or being sent. A change that was sent may have used up one of
 * the changes left; a first vote uses up none.
 */
export function canChangeVote({ poll, voteOp }: PollView): boolean {
  if (poll.status !== 'active' || voteOp?.state === 'needs_attention') return false;
  const changesLeft = poll.votes[0]?.changesLeft ?? 0;
  if (voteOp === null || voteOp.state === 'rejected') return changesLeft > 0;
  return voteOp.type === 'vote' || isWaitingUnsent(voteOp) || changesLeft > 1;
}
