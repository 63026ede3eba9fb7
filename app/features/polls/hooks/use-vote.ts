import { type MouseEvent, useEffect, useRef, useState } from 'react';
import { castVote } from '#app/features/polls/actions.ts';
import { afterPaint } from '#app/features/polls/lib/after-paint.ts';
import { ANSWER_WAIT_MS, cardStateOf, type PollCardState } from '#app/features/polls/lib/card-state.ts';
import { launchPoint } from '#app/lib/flight.ts';
import { useOnline } from '#app/lib/online.ts';
import type { Option } from '#shared/polls/schema.ts';
import type { PollView } from '#sync/operations/operation.ts';
import { useMissingResults } from './use-missing-results.ts';

type Vote = {
  cardState: PollCardState;
  /** True from the tap on: what is shown arrives by motion and is read out. */
  fresh: boolean;
  vote(option: Option, from: Element): void;
  /** For the card's clicks on their way in: the second tap of a double tap opens nothing. */
  ignoreSecondTap(event: MouseEvent): void;
};

const DOUBLE_TAP_MS = 400;

/** A poll's cardState and the way to vote: the choice shows in the same frame, storing and sending follow. */
export function useVote(view: PollView): Vote {
  const [tapped, setTapped] = useState<Option | null>(null);
  const [nowMs, setNowMs] = useState(() => Date.now());
  const wasOpen = useRef(false);
  const votedAtMs = useRef(Number.NEGATIVE_INFINITY);
  const online = useOnline();
  const cardState = cardStateOf(view, { tapped, nowMs, online });
  const { id } = view.poll;
  useMissingResults(view);
  if (cardState.kind === 'open') wasOpen.current = true;

  const isSending = cardState.kind === 'sending' && view.voteOp !== null;
  useEffect(() => {
    if (!isSending) return;
    const timer = setTimeout(() => setNowMs(Date.now()), ANSWER_WAIT_MS);
    return () => clearTimeout(timer);
  }, [isSending]);

  const hasStored = view.vote !== null || view.voteOp !== null;
  useEffect(() => {
    if (hasStored) setTapped(null);
  }, [hasStored]);

  function vote(option: Option, from: Element) {
    if (cardState.kind !== 'open') return;
    setTapped(option);
    votedAtMs.current = performance.now();
    setNowMs(Date.now());
    launchPoint(from);
    // The key goes away: its place stays as high as it was, and keeps the focus.
    const zone = from.closest<HTMLElement>('[data-zone]');
    if (zone?.dataset.zone === 'keys') zone.style.minHeight = `${zone.offsetHeight}px`;
    if (from.matches(':focus-visible')) zone?.focus({ preventScroll: true });
    afterPaint(() => {
      void castVote(id, option).then((stored) => {
        if (!stored) setTapped(null);
      });
    });
  }

  // The key has become a result by then, and under it lies the card's link.
  function ignoreSecondTap(event: MouseEvent) {
    if (performance.now() - votedAtMs.current < DOUBLE_TAP_MS) event.preventDefault();
  }

  return { cardState, fresh: wasOpen.current && cardState.kind !== 'open', vote, ignoreSecondTap };
}

/** Arrow keys go to the left or the right option; Enter then presses it, as on any button. */
export function chooseByArrow(event: {
  key: string;
  currentTarget: HTMLElement;
  preventDefault(): void;
}): void {
  const side = event.key === 'ArrowLeft' ? '1' : event.key === 'ArrowRight' ? '2' : null;
  if (side === null) return;
  const key = event.currentTarget.querySelector<HTMLElement>(`button[data-option="${side}"]`);
  if (key === null) return;
  event.preventDefault();
  key.focus();
}
