import { useAtomValue } from 'jotai';
import { useEffect, useEffectEvent, useRef, useState } from 'react';
import {
  canChangeVote,
  type Direction,
  dealCards,
  type Motion,
  NEW_PASS,
  withoutStep,
  withStep,
} from '#app/features/explore/lib/pass.ts';
import { countSeenCard } from '#app/features/explore/lib/swipe-hint.ts';
import { useDeckView } from '#app/features/explore/queries.ts';
import { prefersReducedMotion } from '#app/lib/browser/media.ts';
import { openModalCountAtom } from '#app/lib/toasts.ts';
import type { Option } from '#shared/polls/schema.ts';
import { needsDecision } from '#sync/protocol/op.ts';
import { usePass } from './use-pass.ts';

/** How long the result is shown after a tap or a swipe. */
const RESULT_SHOWN_MS = 1_200;
/** After a card has left automatically, presses within this time were meant for it. It is the length of its animation. */
const LATE_PRESS_MS = 250;
/** A press that ends later than this after the card has left, such as a slow swipe, was not meant for it. */
const LATE_PRESS_ENDS_MS = 1_000;

const DIRECTION_OF_VOTE: Record<Option, Direction> = { 1: 'left', 2: 'right' };

/** The cards of the pass, and the actions on the front card. */
export function useDeck(nowMs: number) {
  const [pass, changePass] = usePass();
  const view = useDeckView(pass, nowMs);
  const isModalOpen = useAtomValue(openModalCountAtom) > 0;
  const { cards, skippedCount, undoable } =
    view === undefined ? { cards: [], skippedCount: 0, undoable: null } : dealCards(view, pass);
  const [wantsChange, setChanging] = useState(false);
  /** The card that leaves automatically after its result was shown. */
  const [autoAdvanceId, setAutoAdvanceId] = useState<string | null>(null);
  const autoAdvancedAtMs = useRef(Number.NEGATIVE_INFINITY);
  const [motion, setMotion] = useState<Motion | null>(null);

  const [front] = cards;
  const frontId = front?.poll.id ?? null;
  const hasVote = front !== undefined && (front.vote !== null || front.voteOp !== null);
  const isChanging = wantsChange && hasVote && frontId === pass.held && front.poll.status === 'active';
  const isVoted = hasVote && !isChanging;
  const voteNeedsDecision = front?.voteOp != null && needsDecision(front.voteOp);

  function startMotion(next: Motion) {
    setChanging(false);
    setAutoAdvanceId(null);
    setMotion(prefersReducedMotion() ? null : next);
  }

  function advance() {
    if (front === undefined) return;
    const { vote, poll } = front;
    const direction = vote === null ? 'down' : DIRECTION_OF_VOTE[vote];
    changePass((current) => withStep(current, { pollId: poll.id, direction }));
    startMotion({ pollId: poll.id, kind: 'leaves', direction });
    countSeenCard();
  }

  function undo() {
    if (front !== undefined && isVoted && canChangeVote(front)) {
      setAutoAdvanceId(null);
      setChanging(true);
    } else if (undoable !== null) {
      const { step, view: restored } = undoable;
      changePass((current) => withoutStep(current, step));
      startMotion({ pollId: step.pollId, kind: 'returns', direction: step.direction });
      setChanging(restored.vote !== null && canChangeVote(restored));
    }
  }

  const onDialogOpen = useEffectEvent(() =>
    changePass((current) => ({ ...current, held: frontId, hasDialog: true })),
  );
  const onDialogClose = useEffectEvent(() => changePass((current) => ({ ...current, hasDialog: false })));
  useEffect(() => {
    if (!isModalOpen || document.querySelector('.deck dialog[open]') === null) return;
    onDialogOpen();
    return () => onDialogClose();
  }, [isModalOpen]);

  const isAutoAdvancing = isVoted && autoAdvanceId === frontId && !voteNeedsDecision;
  const autoAdvance = useEffectEvent(() => {
    // A card with an open dialog or menu remains, since the dialog or menu would be removed with it.
    if (document.querySelector('.deck dialog[open], .deck :popover-open') !== null) return;
    advance();
    autoAdvancedAtMs.current = performance.now();
  });
  useEffect(() => {
    if (!isAutoAdvancing) return;
    const timer = setTimeout(() => autoAdvance(), RESULT_SHOWN_MS);
    return () => clearTimeout(timer);
  }, [isAutoAdvancing]);

  return {
    view,
    cards,
    skippedCount,
    front,
    isChanging,
    isVoted,
    setChanging,
    motion,
    endMotion: () => setMotion(null),
    /** Whether a press that began at `pressedAtMs` and ends now was meant for the card that has just left automatically. */
    isLatePress: (pressedAtMs: number) =>
      pressedAtMs - autoAdvancedAtMs.current < LATE_PRESS_MS &&
      performance.now() - autoAdvancedAtMs.current < LATE_PRESS_ENDS_MS,
    canUndo: undoable !== null || (front !== undefined && isVoted && canChangeVote(front)),
    advance,
    undo,
    /**
     * Holds the front card, whose vote is being stored. With `leavesAutomatically`, it leaves once its result was shown, unless
     * the user prefers reduced motion.
     */
    hold({ leavesAutomatically }: { leavesAutomatically: boolean }) {
      changePass((current) => ({ ...current, held: frontId }));
      setAutoAdvanceId(leavesAutomatically && !prefersReducedMotion() ? frontId : null);
    },
    startNewPass: () => changePass(() => NEW_PASS),
  };
}
