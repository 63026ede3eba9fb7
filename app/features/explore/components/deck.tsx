import '#app/styles/deck.css';
import '#app/styles/deck-motion.css';
import { WifiOff } from 'lucide-react';
import {
  type ReactNode,
  useDeferredValue,
  useEffect,
  useEffectEvent,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import { useDeck } from '#app/features/explore/hooks/use-deck.ts';
import { useDeckKeys } from '#app/features/explore/hooks/use-deck-keys.ts';
import { CARDS_KEPT, CARDS_SHOWN, useDeckSupply } from '#app/features/explore/hooks/use-deck-supply.ts';
import { useLastInput } from '#app/features/explore/hooks/use-last-input.ts';
import { viewOf } from '#app/features/explore/lib/pass.ts';
import { needsSwipeHint } from '#app/features/explore/lib/swipe-hint.ts';
import { countLabel } from '#app/lib/count-label.ts';
import { useServerNow } from '#app/lib/engine/server-now.ts';
import { Icon } from '#app/ui/icon.tsx';
import type { Option, Poll } from '#shared/polls/schema.ts';
import type { PollView } from '#sync/operations/operation.ts';
import { ArrowKey, DeckControls, DeckHint } from './deck-controls.tsx';
import { isOver, NoCards } from './deck-end.tsx';
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
  /** Has the device keep the images of these polls. */
  fetchImages(polls: readonly Poll[], signal: AbortSignal): Promise<void>;
  /** The front card was hidden by its menu. */
  onHidden(view: PollView): void;
};

/** One poll at a time that the user has not voted on, to vote by button, by swipe or by key. */
export function Deck({ renderCard, skeleton, createButton, fetchImages, onHidden }: Props) {
  const now = useServerNow();
  const { view, cards, front, isVoted, isChanging, motion, ...deck } = useDeck(now);
  const { reachable, hasFailed, tryAgain } = useDeckSupply(view, cards);
  const stage = useRef<HTMLDivElement>(null);
  const lastInput = useLastInput();
  const frontId = front?.poll.id ?? null;
  const followFocus = useFocusOnFront(stage, frontId, lastInput);
  useHiddenFront(frontId, view?.hidden ?? [], onHidden);
  useKeptImages(cards, reachable, fetchImages);
  const [hasHint] = useState(needsSwipeHint);

  function goOn() {
    followFocus();
    deck.goOn();
  }
  function undo() {
    followFocus();
    deck.undo();
  }
  /** Presses the button of the card, so that a swipe or a key does what a tap does. */
  function vote(option: Option) {
    if (isVoted) return goOn();
    const key = `[data-place="0"] .btn-option[data-option="${option}"]`;
    stage.current?.querySelector<HTMLElement>(key)?.click();
  }
  function onCardClick(target: Element) {
    if (target.closest('.btn-option') !== null) deck.hold(lastInput.current === 'pointer');
    else if (isVoted && target.closest('button, a, dialog, [popover]') === null) goOn();
  }
  useDeckKeys({ vote, goOn, undo, keepVote: () => deck.setChanging(false) });

  const leaving = motion?.kind === 'leaves' && view !== undefined ? viewOf(view, motion.pollId) : undefined;
  // The last one is rendered after the next card has been painted, which was behind the front one.
  const paintedId = useDeferredValue(frontId);
  const dealt = cards.slice(0, paintedId === frontId ? CARDS_SHOWN : CARDS_SHOWN - 1);
  const hasLeaving = leaving !== undefined && !dealt.some(({ poll }) => poll.id === leaving.poll.id);
  const slots = dealt.map((card, place): { card: PollView; place: number | null } => ({ card, place }));
  if (hasLeaving) slots.push({ card: leaving, place: null });
  const said = front?.poll.question ?? (isOver(view, reachable) ? 'No more cards' : '');
  const { skipped, repeat } = deck;
  return (
    <>
      <p className="sr-only" aria-live="polite">
        {said}
      </p>
      {slots.length === 0 && (
        <NoCards
          {...{ view, reachable, hasFailed, skeleton, createButton, skipped }}
          onRetry={tryAgain}
          onRepeat={repeat}
        />
      )}
      {slots.length > 0 && (
        <div className="deck" ref={stage} data-voted={isVoted ? '' : undefined}>
          {!reachable && (
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
              <ArrowKey view={front} option={1} onVote={vote} />
              <ArrowKey view={front} option={2} onVote={vote} />
              <DeckControls canUndo={deck.canUndo} isVoted={isVoted} onUndo={undo} onGoOn={goOn} />
              <DeckHint view={front} isVoted={isVoted} needsSwipeHint={hasHint} />
            </>
          )}
        </div>
      )}
    </>
  );
}

/** Whoever had the focus on a card has it on the next one. Returns a function to call before the cards change. */
function useFocusOnFront(
  stage: { readonly current: HTMLElement | null },
  frontId: string | null,
  lastInput: { readonly current: 'pointer' | 'keys' },
): () => void {
  const wasOnCard = useRef(false);
  // Also when it was on something that is gone now: a menu of the card, or the buttons below the last one.
  // biome-ignore lint/correctness/useExhaustiveDependencies: it runs when the front card changes.
  useLayoutEffect(() => {
    const isLost = lastInput.current === 'keys' && document.activeElement === document.body;
    const next = stage.current?.querySelector<HTMLElement>('[data-place="0"] article');
    if (wasOnCard.current || isLost)
      (next ?? document.getElementById('main'))?.focus({ preventScroll: true });
    wasOnCard.current = false;
  }, [frontId]);
  return () => {
    const card = document.activeElement?.closest('.deck-slot') ?? null;
    wasOnCard.current = card !== null;
  };
}

/** Tells when the front card is gone because the user has hidden it. */
function useHiddenFront(
  frontId: string | null,
  hidden: readonly PollView[],
  onHidden: (view: PollView) => void,
) {
  const shownId = useRef(frontId);
  const check = useEffectEvent(() => {
    const gone =
      frontId === shownId.current ? undefined : hidden.find(({ poll }) => poll.id === shownId.current);
    if (gone !== undefined) onHidden(gone);
  });
  useEffect(() => {
    check();
    shownId.current = frontId;
  }, [frontId]);
}

/** Has the device keep the images of the cards that it keeps. */
function useKeptImages(cards: readonly PollView[], reachable: boolean, fetchImages: Props['fetchImages']) {
  const polls = cards.slice(0, CARDS_KEPT).map(({ poll }) => poll);
  const fetchNow = useEffectEvent((signal: AbortSignal) => fetchImages(polls, signal));
  const ids = useDeferredValue(polls.map(({ id }) => id).join(' '));
  useEffect(() => {
    if (ids === '' || !reachable) return;
    const controller = new AbortController();
    void fetchNow(controller.signal);
    return () => controller.abort();
  }, [ids, reachable]);
}
