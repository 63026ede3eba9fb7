import type { DeckView } from '#sync/client/cache/deck-reads.ts';
import type { PollView } from '#sync/operations/operation.ts';

/** Where a card has gone: to the side of the chosen option, or down when it was skipped. */
export type Direction = 'left' | 'right' | 'down';
/** A card that is on its way out of the deck, or back into it. */
export type Motion = { pollId: string; kind: 'leaves' | 'returns'; direction: Direction };

type Step = { pollId: string; to: Direction };

/**
 * One way through the deck.
 * - `steps`: the cards that are through, in order; they do not come again
 * - `held`: the card that stays in front though the deck no longer contains it: just voted on, or brought back by Undo
 */
export type Pass = { steps: readonly Step[]; held: string | null };

export const NEW_PASS: Pass = { steps: [], held: null };

/** How many steps can be undone one after the other. */
const UNDO_MAX = 20;

/** The polls that the pass needs whatever has become of them. */
export function askedFor({ steps, held }: Pass): string[] {
  const last = steps.slice(-UNDO_MAX).map(({ pollId }) => pollId);
  return held === null ? last : [held, ...last];
}

/** The cards from the front one on, the number of those that were skipped, and the step that Undo takes back. */
export function dealCards(view: DeckView, pass: Pass) {
  const done = new Set(pass.steps.map(({ pollId }) => pollId));
  const rest = view.open.filter(({ poll }) => !done.has(poll.id) && poll.id !== pass.held);
  const held = pass.held === null ? undefined : viewOf(view, pass.held);
  return {
    cards: held !== undefined && canBeShown(held) ? [held, ...rest] : rest,
    skipped: view.open.filter(({ poll }) => done.has(poll.id)).length,
    undoable: lastUndoable(view, pass),
  };
}

/** A poll of the deck or of the pass; undefined when it is not on this device. */
export function viewOf({ open, asked }: DeckView, pollId: string): PollView | undefined {
  const isIt = ({ poll }: PollView) => poll.id === pollId;
  return asked.find(isIt) ?? open.find(isIt);
}

function lastUndoable(view: DeckView, { steps }: Pass): { step: Step; view: PollView } | null {
  for (const step of steps.slice(-UNDO_MAX).toReversed()) {
    const found = viewOf(view, step.pollId);
    if (found !== undefined && canBeShown(found)) return { step, view: found };
  }
  return null;
}

function canBeShown({ poll, vote, voteOp, hidden }: PollView): boolean {
  return !hidden && (vote !== null || voteOp !== null || poll.status === 'active');
}

/** The card `pollId` is through. */
export function withStep(pass: Pass, step: Step): Pass {
  return { steps: [...pass.steps, step], held: null };
}

/** The card of `step` is in front again. */
export function withoutStep(pass: Pass, step: Step): Pass {
  return { steps: pass.steps.slice(0, pass.steps.indexOf(step)), held: step.pollId };
}

/** Whether the vote can still be moved; one that waits has used no change yet. */
export function canChangeVote({ poll, voteOp }: PollView): boolean {
  if (poll.status !== 'active') return false;
  const isWaiting = voteOp !== null && voteOp.state !== 'rejected';
  return isWaiting || (poll.votes[0]?.changesLeft ?? 0) > 0;
}
