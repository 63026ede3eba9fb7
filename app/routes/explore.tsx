import { Deck } from '#app/features/explore/components/deck.tsx';
import { DeckCard } from '#app/features/polls/components/deck-card.tsx';
import { DeckSkeleton } from '#app/features/polls/components/skeletons.tsx';
import { announceHidden } from '#app/features/polls/lib/announce-hidden.ts';
import { fetchDeckImages } from '#app/features/polls/lib/deck-images.ts';
import { useUser } from '#app/lib/engine/session.ts';
import { usePageTitle } from '#app/lib/navigation/page-title.ts';
import { CreatePollButton } from './create-poll.tsx';

export default function ExploreRoute() {
  const user = useUser();
  usePageTitle('Explore');
  if (user === null) return null;
  return (
    <>
      <h1 className="sr-only">Explore</h1>
      <Deck
        key={user.id}
        renderCard={(props) => <DeckCard {...props} />}
        skeleton={<DeckSkeleton />}
        createButton={<CreatePollButton />}
        fetchImages={fetchDeckImages}
        onHidden={announceHidden}
      />
    </>
  );
}
