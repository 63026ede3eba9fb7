import '#app/styles/deck.css';
import '#app/styles/deck-connection-card.css';
import '#app/styles/deck-motion.css';
import { WifiOff } from 'lucide-react';
import { type ReactNode, useDeferredValue, useEffect, useEffectEvent, useLayoutEffect, useRef } from 'react';
import { useDeck } from '#app/features/explore/hooks/use-deck.ts';
import { useDeckKeys } from '#app/features/explore/hooks/use-deck-keys.ts';
import {
  CARDS_SHOWN,
  CARDS_STORED_TARGET,
  useDeckSupply,
} from '#app/features/explore/hooks/use-deck-supply.ts';
import { type Input, useLastInput } from '#app/features/explore/hooks/use-last-input.ts';
import { viewOf } from '#app/features/explore/lib/pass.ts';
import { hasNoMoreToLoad } from '#app/features/explore/queries.ts';
import { useRootClass } from '#app/lib/browser/use-root-class.ts';
import { countLabel } from '#app/lib/count-label.ts';
import { useServerNow } from '#app/lib/engine/server-now.ts';
import { Icon } from '#app/ui/icon.tsx';
import type { Option, Poll } from '#shared/polls/schema.ts';
import type { DeckView } from '#sync/client/cache/deck-reads.ts';
import type { PollView } from '#sync/operations/operation.ts';
import { ArrowKey, DeckControls, DeckHint } from './deck-controls.tsx';
import { NoCards } from './deck-end.tsx';
import { DeckSlot } from './deck-slot.tsx';

type DeckCardProps = {
  view: PollView;
  nowMs: number;
  isChanging: boolean;
  setChanging(isChanging: boolean): void;
};

type Props = {
  renderCard(props: DeckCardProps): ReactNode;
  skeleton: ReactNode;
  createButton: ReactNode;
  /** Whether there are no polls at all, not even polls that are not in the deck. */
  hasNoPolls: boolean;
  /** Fetches the images of these polls, so that they can be shown offline. */
  fetchImages(polls: readonly Poll[], signal: AbortSignal): Promise<void>;
  /** Called when the user has hidden the front card through its menu. */
  onHidden(view: PollView): void;
};

/** The polls that the user has not voted on, one at a time; votes by button, swipe or key. */
export function Deck({ renderCard, skeleton, createButton, hasNoPolls, fetchImages, onHidden }: Props) {
  useRootClass('has-deck');
  const now = useServerNow();
  const { view, cards, front, isVoted, isChanging, motion, ...deck } = useDeck(now);
  const { isReachable, hasFailed, reload } = useDeckSupply(view, cards);
  const stage = useRef<HTMLDivElement>(null);
  const lastInput = useLastInput();
  const frontId = front?.poll.id ?? null;
  const rememberFocus = useFocusOnFront(stage, frontId, lastInput);
  useOnFrontHidden(frontId, view, onHidden);
  usePrefetchedImages(cards, isReachable, fetchImages);

  const isLatePress = () => deck.isLatePress(lastInput.current.atMs);
  function advance() {
    if (isLatePress()) return;
    rememberFocus();
    deck.advance();
  }
  function undo() {
    rememberFocus();
    deck.undo();
  }
  /** Clicks the vote button of the card, so that a swipe or a key does the same as a tap. */
  function vote(option: Option) {
    if (isVoted) return advance();
    const selector = `[data-place="0"] .btn-option[data-option="${option}"]`;
    stage.current?.querySelector<HTMLElement>(selector)?.click();
  }
  function onCardClick(target: Element) {
    if (target.closest('.btn-option') !== null)
      deck.hold({ leavesAutomatically: lastInput.current.kind === 'pointer' });
    else if (isVoted && target.closest('button, a, dialog, [popover]') === null) advance();
  }
  useDeckKeys({ vote, advance, undo, keepVote: () => deck.setChanging(false) });

  const leavingCard =
    motion?.kind === 'leaves' && view !== undefined ? viewOf(view, motion.pollId) : undefined;
  // When the front card changes, the new front card is painted before the last card in the stack is rendered.
  const paintedId = useDeferredValue(frontId);
  const stackedCards = cards.slice(0, paintedId === frontId ? CARDS_SHOWN : CARDS_SHOWN - 1);
  const hasLeavingCard =
    leavingCard !== undefined && !stackedCards.some(({ poll }) => poll.id === leavingCard.poll.id);
  const slots = stackedCards.map((card, place): { card: PollView; place: number | null } => ({
    card,
    place,
  }));
  if (hasLeavingCard) slots.push({ card: leavingCard, place: null });
  const announcement = front?.poll.question ?? (hasNoMoreToLoad(view, isReachable) ? 'No more cards' : '');
  const { skippedCount, startNewPass } = deck;
  return (
    <>
      <p className="sr-only" aria-live="polite">
        {announcement}
      </p>
      {slots.length === 0 && (
        <NoCards
          {...{ view, isReachable, hasFailed, skeleton, createButton, hasNoPolls, skippedCount }}
          onRetry={reload}
          onStartNewPass={startNewPass}
        />
      )}
      {slots.length > 0 && (
        <div className="deck" ref={stage} data-voted={isVoted ? '' : undefined}>
          {!isReachable && (
            <p className="deck-offline text-muted text-small">
              <Icon icon={WifiOff} size={16} /> Offline ·{' '}
              {countLabel(Math.max(0, cards.length - 1), 'more poll')} on this device
            </p>
          )}
          <div className="deck-stage">
            {slots.map(({ card, place }) => (
              <DeckSlot
                key={card.poll.id}
                stage={stage}
                place={place}
                motion={motion?.pollId === card.poll.id ? motion : null}
                onMotionEnd={deck.endMotion}
                onSwipe={vote}
                ignoresClick={isLatePress}
                onClick={onCardClick}
              >
                {renderCard({
                  view: card,
                  nowMs: now,
                  isChanging: place === 0 && isChanging,
                  setChanging: deck.setChanging,
                })}
              </DeckSlot>
            ))}
          </div>
          {front !== undefined && (
            <>
              <ArrowKey view={front} option={1} isVoted={isVoted} onVote={vote} />
              <ArrowKey view={front} option={2} isVoted={isVoted} onVote={vote} />
              <DeckControls canUndo={deck.canUndo} isVoted={isVoted} onUndo={undo} onAdvance={advance} />
              <DeckHint key={front.poll.id} view={front} isVoted={isVoted} />
            </>
          )}
        </div>
      )}
    </>
  );
}

/** Moves the focus from a card to the next. Returns a function that notes, before the cards change, whether one has the focus. */
function useFocusOnFront(
  stage: { readonly current: HTMLElement | null },
  frontId: string | null,
  lastInput: { readonly current: Input },
): () => void {
  const wasOnCard = useRef(false);
  // The focus is lost when it was on a removed element, such as the menu of the card or the buttons below the last card.
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs when the front card changes
  useLayoutEffect(() => {
    const isFocusLost = lastInput.current.kind === 'keys' && document.activeElement === document.body;
    const frontCard = stage.current?.querySelector<HTMLElement>('[data-place="0"] article');
    if (wasOnCard.current || isFocusLost)
      (frontCard ?? document.getElementById('main'))?.focus({ preventScroll: true });
    wasOnCard.current = false;
  }, [frontId]);
  return () => {
    const card = document.activeElement?.closest('.deck-slot') ?? null;
    wasOnCard.current = card !== null;
  };
}

/** Calls `onHidden` when the front card is gone because the user has hidden its poll. */
function useOnFrontHidden(
  frontId: string | null,
  view: DeckView | undefined,
  onHidden: (view: PollView) => void,
) {
  const previousFrontId = useRef(frontId);
  const callIfHidden = useEffectEvent(() => {
    if (view === undefined || frontId === previousFrontId.current) return;
    const { requested, hidden } = view;
    const hiddenCard = [...requested, ...hidden].find(
      (card) => card.poll.id === previousFrontId.current && card.hidden,
    );
    if (hiddenCard !== undefined) onHidden(hiddenCard);
  });
  useEffect(() => {
    callIfHidden();
    previousFrontId.current = frontId;
  }, [frontId]);
}

/** Fetches the images of the first `CARDS_STORED_TARGET` cards. */
function usePrefetchedImages(
  cards: readonly PollView[],
  isReachable: boolean,
  fetchImages: Props['fetchImages'],
) {
  const polls = cards.slice(0, CARDS_STORED_TARGET).map(({ poll }) => poll);
  const fetchNow = useEffectEvent((signal: AbortSignal) => fetchImages(polls, signal));
  const ids = useDeferredValue(polls.map(({ id }) => id).join(' '));
  useEffect(() => {
    if (ids === '' || !isReachable) return;
    const controller = new AbortController();
    void fetchNow(controller.signal);
    return () => controller.abort();
  }, [ids, isReachable]);
}
