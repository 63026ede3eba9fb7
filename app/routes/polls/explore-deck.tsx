import { Plus } from 'lucide-react';
import { lazy, useEffect, useEffectEvent, useState } from 'react';
import { Navigate } from 'react-router-dom';
import { Deck } from '#app/features/explore/components/deck.tsx';
import { useCardsLeft } from '#app/features/explore/hooks/use-cards-left.ts';
import { useIsPendingShown } from '#app/features/points/hooks/use-is-pending-shown.ts';
import { announceHidden } from '#app/features/polls/actions.ts';
import { DeckCard } from '#app/features/polls/components/deck-card.tsx';
import { DeckSkeleton } from '#app/features/polls/components/deck-skeleton.tsx';
import { fetchDeckImages } from '#app/features/polls/lib/deck-images.ts';
import { useHasNoPolls } from '#app/features/polls/queries.ts';
import { WarmUpStrip } from '#app/features/warm-up/components/warm-up-strip.tsx';
import { usePoints } from '#app/lib/engine/user-query.ts';
import { pendingLine } from '#app/lib/points-labels.ts';
import { endWarmUp, useWarmUpVotes, WARM_UP_VOTES } from '#app/lib/warm-up.ts';
import { paths } from '#app/paths.ts';
import { PrimaryButton } from '#app/ui/button.tsx';
import { Icon } from '#app/ui/icon.tsx';
import { LazyBoundary } from '#app/ui/lazy-boundary.tsx';
import { NewPollDialog, useNewPollDialog } from './create-poll.tsx';

// Needed by new accounts only.
const FirstPollPrompt = lazy(() => import('#app/features/warm-up/components/first-poll-prompt.tsx'));

/** The deck, with the warm-up of a new account. Needs a `key` per user. */
export function ExploreDeck() {
  const points = usePoints();
  const isPendingShown = useIsPendingShown(points);
  const warmUpVotes = useWarmUpVotes();
  const { canCreate, openDialog } = useNewPollDialog();
  const hasNoPolls = useHasNoPolls();
  // Not derived from `warmUpVotes`: the deck remains while the card of the last vote is held, and a vote that is refused later
  // does not bring the deck back.
  const [isPromptShown, setPromptShown] = useState(warmUpVotes === WARM_UP_VOTES);
  return (
    <>
      {warmUpVotes !== null && !isPromptShown && (
        <FirstVotes votes={warmUpVotes} onComplete={() => setPromptShown(true)} />
      )}
      {warmUpVotes !== null && isPromptShown ? (
        <LazyBoundary>
          <FirstPollPrompt
            points={points?.confirmed ?? null}
            pending={points !== null && isPendingShown ? pendingLine(points) : null}
            canCreate={canCreate}
            onCreate={(question) => openDialog({ question })}
          />
        </LazyBoundary>
      ) : (
        <Deck
          renderCard={(props) => <DeckCard {...props} />}
          skeleton={<DeckSkeleton />}
          createButton={
            <PrimaryButton onClick={() => openDialog()} disabled={!canCreate}>
              <Icon icon={Plus} /> Create Poll
            </PrimaryButton>
          }
          hasNoPolls={hasNoPolls}
          fetchImages={fetchDeckImages}
          onHidden={announceHidden}
        />
      )}
      <NewPollDialog />
    </>
  );
}

type FirstVotesProps = { votes: number; onComplete(): void };

/** Shown above the deck of a new account until its first votes are cast and seen, or too few polls are left to vote on. */
function FirstVotes({ votes, onComplete }: FirstVotesProps) {
  const { cardsLeft, isCardHeld } = useCardsLeft();
  const isEmpty = votes === 0 && cardsLeft === 0 && !isCardHeld;
  const isComplete = votes === WARM_UP_VOTES || (cardsLeft !== null && votes + cardsLeft < WARM_UP_VOTES);
  const complete = useEffectEvent(onComplete);
  useEffect(() => {
    if (isEmpty) endWarmUp();
    else if (isComplete && !isCardHeld) complete();
  }, [isEmpty, isComplete, isCardHeld]);
  // Without any polls to vote on there is no warm-up: the Polls tab is shown instead, once no card is held.
  return isEmpty ? <Navigate to={paths.home.href()} replace /> : <WarmUpStrip isOnDeckScreen />;
}
