import { useEffect, useEffectEvent, useState } from 'react';
import {
  canChangeVote,
  type Direction,
  dealCards,
  type Motion,
  NEW_PASS,
  withoutStep,
  withStep,
} from '#app/features/explore/lib/pass.ts';
import { countCard } from '#app/features/explore/lib/swipe-hint.ts';
import { useDeckView } from '#app/features/explore/queries.ts';
import { prefersReducedMotion } from '#app/lib/browser/media.ts';
import type { Option } from '#shared/polls/schema.ts';
import { needsDecision } from '#sync/protocol/op.ts';
import { usePass } from './use-pass.ts';

/** How long the result is shown after a tap or a swipe. */
const RESULT_MS = 1_200;

const SIDES: Record<Option, Direction> = { 1: 'left', 2: 'right' };

/** The cards of the pass, and what can be done with the front one. */
export function useDeck(nowMs: number) {
  const [pass, changePass] = usePass();
  const view = useDeckView(pass, nowMs);
  const { cards, skipped, undoable } =
    view === undefined ? { cards: [], skipped: 0, undoable: null } : dealCards(view, pass);
  const [wantsChange, setChanging] = useState(false);
  /** The card that leaves by itself once its result was shown. */
  const [timedId, setTimedId] = useState<string | null>(null);
  const [motion, setMotion] = useState<Motion | null>(null);

  const [front] = cards;
  const frontId = front?.poll.id ?? null;
  const hasVote = front !== undefined && (front.vote !== null || front.voteOp !== null);
  const isChanging = wantsChange && hasVote && frontId === pass.held && front.poll.status === 'active';
  const isVoted = hasVote && !isChanging;
  const isUndecided = front?.voteOp != null && needsDecision(front.voteOp);

  function move(next: Motion) {
    setChanging(false);
    setTimedId(null);
    setMotion(prefersReducedMotion() ? null : next);
  }

  function goOn() {
    if (front === undefined) return;
    const { vote, poll } = front;
    const direction = vote === null ? 'down' : SIDES[vote];
    changePass((current) => withStep(current, { pollId: poll.id, to: direction }));
    move({ pollId: poll.id, kind: 'leaves', direction });
    countCard();
  }

  function undo() {
    if (front !== undefined && isVoted && canChangeVote(front)) {
      setTimedId(null);
      setChanging(true);
    } else if (undoable !== null) {
      const { step, view: back } = undoable;
      changePass((current) => withoutStep(current, step));
      move({ pollId: step.pollId, kind: 'returns', direction: step.to });
      setChanging(back.vote !== null && canChangeVote(back));
    }
  }

  const isTimed = isVoted && timedId === frontId && !isUndecided;
  const goOnByItself = useEffectEvent(() => {
    // A dialog or menu of the card would be gone with it.
    if (document.querySelector('.deck dialog[open], .deck :popover-open') === null) goOn();
  });
  useEffect(() => {
    if (!isTimed) return;
    const timer = setTimeout(() => goOnByItself(), RESULT_MS);
    return () => clearTimeout(timer);
  }, [isTimed]);

  return {
    view,
    cards,
    skipped,
    front,
    isChanging,
    isVoted,
    setChanging,
    motion,
    endMotion: () => setMotion(null),
    canUndo: undoable !== null || (front !== undefined && isVoted && canChangeVote(front)),
    goOn,
    undo,
    /** The front card is being voted on: it stays until its result was shown, or until the person goes on. */
    hold(leavesByItself: boolean) {
      changePass((current) => ({ ...current, held: frontId }));
      setTimedId(leavesByItself && !prefersReducedMotion() ? frontId : null);
    },
    repeat: () => changePass(() => NEW_PASS),
  };
}
