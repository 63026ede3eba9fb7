import { GalleryVerticalEnd, Search } from 'lucide-react';
import { lazy, useState } from 'react';
import { useSearchParams } from 'react-router-dom';
import { CompactCard } from '#app/features/polls/components/compact-card.tsx';
import { CompactSkeleton } from '#app/features/polls/components/skeletons.tsx';
import { useUser } from '#app/lib/engine/session.ts';
import { usePageTitle } from '#app/lib/navigation/page-title.ts';
import { useWarmUpVotes } from '#app/lib/warm-up.ts';
import { ListError } from '#app/ui/feedback/list-error.tsx';
import { SegmentedControl } from '#app/ui/forms/segmented-control.tsx';
import { Icon, PageSpinner } from '#app/ui/icon.tsx';
import { LazyBoundary } from '#app/ui/lazy-boundary.tsx';
import { ExploreDeck } from './explore-deck.tsx';

const SearchPolls = lazy(() => import('#app/features/explore/components/search-polls.tsx'));

const PANEL_ID = 'explore-panel';
const VIEW_LABELS = {
  deck: (
    <>
      <Icon icon={GalleryVerticalEnd} /> Deck
    </>
  ),
  search: (
    <>
      <Icon icon={Search} /> Search
    </>
  ),
};

/** The width of an image in a card of the search results. */
const RESULT_IMAGE_SIZES = '(min-width: 64rem) 135px, (min-width: 48.0625rem) 16vw, 25vw';

export default function ExploreRoute() {
  const user = useUser();
  const isWarmingUp = useWarmUpVotes() !== null;
  const [query, setQuery] = useSearchParams();
  const isSearch = query.get('view') === 'search';
  const [lastSearch, setLastSearch] = useState(() => new URLSearchParams({ view: 'search' }));
  if (isSearch && query !== lastSearch) setLastSearch(query);
  usePageTitle(isSearch ? 'Search' : 'Explore');
  if (user === null) return null;

  return (
    <div className={isSearch ? 'grid gap-2 md:grid-cols-[18rem_minmax(0,1fr)] md:gap-3 md:pt-1' : 'md:pt-1'}>
      <h1 className="sr-only">Explore</h1>
      {(isSearch || !isWarmingUp) && (
        <SegmentedControl
          label="Ways to explore"
          value={isSearch ? 'search' : 'deck'}
          segments={VIEW_LABELS}
          onChange={(view) => setQuery(view === 'search' ? lastSearch : {}, { replace: true })}
          panelId={PANEL_ID}
          className={isSearch ? 'self-start' : 'mx-auto md:w-72'}
        />
      )}
      <div id={PANEL_ID} role="tabpanel" aria-label={isSearch ? 'Search' : 'Deck'} className="contents">
        {isSearch ? (
          <LazyBoundary fallback={<PageSpinner />} errorFallback={<ListError />}>
            <SearchPolls
              key={user.id}
              renderCard={(view, nowMs) => (
                <CompactCard key={view.poll.id} view={view} nowMs={nowMs} sizes={RESULT_IMAGE_SIZES} />
              )}
              skeleton={<CompactSkeleton />}
            />
          </LazyBoundary>
        ) : (
          <ExploreDeck key={user.id} />
        )}
      </div>
    </div>
  );
}
