import { type MouseEvent, useEffect, useRef, useState } from 'react';
import { queueVote } from '#app/features/polls/actions.ts';
import { afterPaint } from '#app/features/polls/lib/after-paint.ts';
import {
  ANSWER_WAIT_MS,
  cardStateOf,
  type PollCardState,
  type VoteChange,
  voteChangeOf,
} from '#app/features/polls/lib/card-state.ts';
import { useOnline } from '#app/lib/engine/online.ts';
import { launchPoint } from '#app/lib/flight.ts';
import type { Option } from '#shared/polls/schema.ts';
import type { PollView } from '#sync/operations/operation.ts';
import { useMissingResults } from './use-missing-results.ts';

type Vote = {
  cardState: PollCardState;
  /** True from the tap on: what is shown arrives by motion and is read out. */
  fresh: boolean;
  vote(option: Option, from: Element): void;
  change: VoteChange;
  /** Brings the keys back, to move the vote to the other option. */
  startChange(): void;
  keepVote(): void;
  /** For the card's clicks on their way in: the second tap of a double tap opens nothing. */
  ignoreSecondTap(event: MouseEvent): void;
};

/** A choice that is not stored yet; `overOpId` is the op that decided about the vote before. */
type Tap = { option: Option; overOpId: string | null };

const DOUBLE_TAP_MS = 400;

/** A poll's card and the way to vote: the choice shows in the same frame, storing and sending follow. */
export function useVote(view: PollView): Vote {
  const [tap, setTap] = useState<Tap | null>(null);
  const [isChanging, setChanging] = useState(false);
  const [nowMs, setNowMs] = useState(() => Date.now());
  const votedAtMs = useRef(Number.NEGATIVE_INFINITY);
  const online = useOnline();
  const { id } = view.poll;
  const opId = view.voteOp?.opId ?? null;
  const tapped = tap !== null && tap.option !== view.vote && tap.overOpId === opId ? tap.option : null;
  const cardState = cardStateOf(view, { tapped, isChanging, nowMs, online });
  const hasKeys = cardState.kind === 'open' || cardState.kind === 'changing';
  useMissingResults(view);
  const [hadKeys, setHadKeys] = useState(hasKeys);
  if (hasKeys && !hadKeys) setHadKeys(true);

  const isSending = cardState.kind === 'sending' && opId !== null;
  useEffect(() => {
    if (!isSending) return;
    const timer = setTimeout(() => setNowMs(Date.now()), ANSWER_WAIT_MS);
    return () => clearTimeout(timer);
  }, [isSending]);

  function vote(option: Option, from: Element) {
    if (!hasKeys) return;
    setChanging(false);
    // The key goes away: its place stays as high as it was, and keeps the focus.
    const zone = from.closest<HTMLElement>('[data-zone]');
    if (zone?.dataset.zone === 'keys') zone.style.minHeight = `${zone.offsetHeight}px`;
    if (from.matches(':focus-visible')) zone?.focus({ preventScroll: true });
    if (option === view.vote) return;
    setTap({ option, overOpId: opId });
    votedAtMs.current = performance.now();
    setNowMs(Date.now());
    const type = cardState.kind === 'open' ? 'vote' : 'changeVote';
    if (type === 'vote') launchPoint(from);
    afterPaint(() => {
      void queueVote(type, id, option).then((stored) => {
        if (!stored) setTap(null);
      });
    });
  }

  // The key has become a result by then, and under it lies the card's link.
  function ignoreSecondTap(event: MouseEvent) {
    if (performance.now() - votedAtMs.current < DOUBLE_TAP_MS) event.preventDefault();
  }

  return {
    cardState,
    fresh: hadKeys && !hasKeys,
    vote,
    change: voteChangeOf(view, cardState),
    startChange: () => setChanging(true),
    keepVote: () => setChanging(false),
    ignoreSecondTap,
  };
}

type KeyPress = { key: string; currentTarget: HTMLElement; preventDefault(): void };

/** Arrow keys go to the left or the right option; Enter then presses it, as on any button. */
export function chooseByArrow(press: KeyPress): void {
  const side = press.key === 'ArrowLeft' ? '1' : press.key === 'ArrowRight' ? '2' : null;
  if (side === null) return;
  const button = press.currentTarget.querySelector<HTMLElement>(`button[data-option="${side}"]`);
  if (button === null) return;
  press.preventDefault();
  button.focus();
}

/** The arrow keys choose, Escape keeps a vote that is being changed. */
export function onCardKey(press: KeyPress, keepVote: () => void): void {
  if (press.key === 'Escape') keepVote();
  else chooseByArrow(press);
}
