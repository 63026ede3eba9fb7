import { memo, useEffect, useId, useRef } from 'react';
import { useControlledVote } from '#app/features/polls/hooks/use-vote.ts';
import { looksTheSame } from '#app/features/polls/lib/card-state.ts';
import { DECK_IMAGE_SIZES } from '#app/features/polls/lib/deck-images.ts';
import type { PollView } from '#sync/operations/operation.ts';
import { PollImages } from './card/poll-images.tsx';
import { PollMeta } from './card/poll-meta.tsx';
import { VoteZone } from './card/vote-zone.tsx';
import { MenuButton } from './menu/menu-button.tsx';

const SHORT_MAX_CHARACTERS = 40;
const MEDIUM_MAX_CHARACTERS = 60;

/** The length of a question for CSS: on a phone, `medium` gets more lines than `short`, and `long` also a smaller font. */
function lengthOf(question: string): 'short' | 'medium' | 'long' {
  if (question.length <= SHORT_MAX_CHARACTERS) return 'short';
  return question.length <= MEDIUM_MAX_CHARACTERS ? 'medium' : 'long';
}

type Props = {
  view: PollView;
  nowMs: number;
  /** Whether the vote is being changed. */
  isChanging: boolean;
  /** Must be the same function on every render: the memo does not compare it. */
  setChanging(isChanging: boolean): void;
};

/** The large card of a poll in the deck. */
export const DeckCard = memo(
  function DeckCard({ view, nowMs, isChanging, setChanging }: Props) {
    const titleId = useId();
    const images = useRef<HTMLDivElement>(null);
    const { cardState, justVoted, vote, card, ...changeProps } = useControlledVote(
      view,
      isChanging,
      setChanging,
    );
    const { question } = view.poll;
    // Starts decoding the images before the card comes to the front.
    useEffect(() => {
      for (const image of images.current?.querySelectorAll('img') ?? [])
        image.decode().catch(() => undefined);
    }, []);
    return (
      <article
        ref={card.ref}
        onClickCapture={card.onClickCapture}
        tabIndex={-1}
        aria-labelledby={titleId}
        data-length={lengthOf(question)}
        className="deck-card relative card"
      >
        <h2 id={titleId} className="deck-question wrap-anywhere">
          <span dir="auto">{question}</span>
        </h2>
        <MenuButton view={view} className="absolute top-1 right-1" />
        <div ref={images}>
          <PollImages view={view} cardState={cardState} sizes={DECK_IMAGE_SIZES} priority />
        </div>
        <VoteZone view={view} cardState={cardState} justVoted={justVoted} onVote={vote} />
        <PollMeta
          view={view}
          nowMs={nowMs}
          {...changeProps}
          // In the deck, Undo offers the change of a vote.
          change={changeProps.change?.kind === 'offered' ? null : changeProps.change}
        />
      </article>
    );
  },
  (before, after) =>
    before.nowMs === after.nowMs &&
    before.isChanging === after.isChanging &&
    looksTheSame(before.view, after.view),
);
