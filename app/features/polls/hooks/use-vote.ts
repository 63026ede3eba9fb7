import { type KeyboardEvent, type MouseEvent, useEffect, useRef, useState } from 'react';
import { queueVote } from '#app/features/polls/actions.ts';
import { cardStateOf, voteChangeOf } from '#app/features/polls/lib/card-state.ts';
import { afterPaint } from '#app/lib/after-paint.ts';
import { engineState } from '#app/lib/engine/engine.ts';
import { useReachable } from '#app/lib/engine/online.ts';
import { startPointAnimation } from '#app/lib/point-animation.ts';
import type { Option, Poll } from '#shared/polls/schema.ts';
import type { PollView } from '#sync/operations/operation.ts';
import { useIsWaiting } from './use-is-waiting.ts';
import { useWatchedPoll } from './use-watched-poll.ts';

/** A tapped option whose op is not stored yet, and the id of the vote op that it replaces. */
type Tap = { option: Option; previousOpId: string | null };

const DOUBLE_TAP_MS = 400;

/** The state of a poll's card, and voting: the chosen option is shown in the same frame, then stored and sent. */
export function useVote(view: PollView) {
  const [isChanging, setChanging] = useState(false);
  return useControlledVote(view, isChanging, setChanging);
}

/** `useVote` for a card whose parent says whether the vote is being changed. */
export function useControlledVote(
  view: PollView,
  isChanging: boolean,
  setChanging: (isChanging: boolean) => void,
) {
  const [tap, setTap] = useState<Tap | null>(null);
  const votedAtMs = useRef(Number.NEGATIVE_INFINITY);
  const { id } = view.poll;
  const opId = view.voteOp?.opId ?? null;
  const isTapStored = tap !== null && (tap.option === view.vote || tap.previousOpId !== opId);
  // Else the tap would be shown again once its op has been discarded or refused.
  if (isTapStored) setTap(null);
  const tapped = tap === null || isTapStored ? null : tap.option;
  const isVoteWaiting = useIsWaiting(view.voteOp);
  const cardState = cardStateOf(view, { tapped, isChanging, isVoteWaiting });
  const hasButtons = cardState.kind === 'open' || cardState.kind === 'changing';
  useCheckExpired(view.poll);
  const ref = useWatchedPoll(id);
  const [hasVotedHere, setVotedHere] = useState(false);

  function vote(option: Option, button: Element) {
    if (!hasButtons) return;
    setChanging(false);
    // Read before the style is changed: afterwards the browser would have to lay out the page again.
    const buttonRect = button.getBoundingClientRect();
    // The results replace the buttons, keep the height of their zone and get their focus. On a compact card, the images are the
    // zone, whose height does not change.
    const zone = button.closest<HTMLElement>('[data-zone]');
    if (zone?.dataset.zone === 'buttons') zone.style.minHeight = `${zone.offsetHeight}px`;
    if (button.matches(':focus-visible')) zone?.focus({ preventScroll: true });
    // The user keeps the vote that was being changed.
    if (option === view.vote) return;
    setVotedHere(true);
    setTap({ option, previousOpId: opId });
    votedAtMs.current = performance.now();
    const type = cardState.kind === 'open' ? 'vote' : 'changeVote';
    afterPaint(() => {
      void queueVote(type, id, option).then((isStored) => {
        if (!isStored) setTap(null);
      });
    });
    if (type === 'vote') startPointAnimation(buttonRect);
  }

  const keepVote = () => setChanging(false);
  return {
    /** The props of the element that shows the poll. */
    card: {
      ref,
      onKeyDown: (event: KeyboardEvent) => onCardKey(event, event.currentTarget, keepVote),
      // The results do not handle taps, so the second tap of a double tap would reach the card's link.
      onClickCapture(event: MouseEvent) {
        if (performance.now() - votedAtMs.current < DOUBLE_TAP_MS) event.preventDefault();
      },
    },
    cardState,
    /** True after a tap in this card: changes are animated and announced. */
    justVoted: hasVotedHere && !hasButtons,
    vote,
    change: voteChangeOf(view, cardState),
    /** Shows the vote buttons again, to move the vote to the other option. */
    startChange: () => setChanging(true),
    keepVote,
  };
}

type KeyPress = Pick<KeyboardEvent, 'key' | 'altKey' | 'ctrlKey' | 'metaKey' | 'preventDefault'>;

/** Handles a key press: left and right focus a vote button of the card, and Escape keeps the vote that is being changed. */
export function onCardKey(press: KeyPress, card: Element, keepVote: () => void): void {
  // Such as Alt and left, with which browsers go back.
  if (press.altKey || press.ctrlKey || press.metaKey) return;
  if (press.key === 'Escape') keepVote();
  const option = press.key === 'ArrowLeft' ? 1 : press.key === 'ArrowRight' ? 2 : null;
  if (option === null) return;
  const button = card.querySelector<HTMLElement>(`button[data-option="${option}"]`);
  if (button === null) return;
  press.preventDefault();
  button.focus();
}

/**
 * Has a visible poll fetched when it expires, which is derived from the clock, and again once the server is reachable, unless the
 * cached poll says that it has expired.
 */
function useCheckExpired({ id, status }: Poll): void {
  const isReachable = useReachable();
  const isExpired = status === 'expired';
  useEffect(() => {
    if (isExpired && isReachable) engineState.get()?.checkResults([id]);
  }, [isExpired, isReachable, id]);
}
