import type { ReactNode } from 'react';
import { useSearchParams } from 'react-router-dom';
import type { SearchResults } from '#app/features/explore/atoms.ts';
import { useSearch } from '#app/features/explore/hooks/use-search.ts';
import { NEW_PASS } from '#app/features/explore/lib/pass.ts';
import { useDeckView } from '#app/features/explore/queries.ts';
import { useReachable } from '#app/lib/engine/online.ts';
import { useServerNow } from '#app/lib/engine/server-now.ts';
import { useUserQueryOf } from '#app/lib/engine/user-query.ts';
import { useScrollRestoration } from '#app/lib/navigation/use-scroll-restoration.ts';
import { paths } from '#app/paths.ts';
import { PrimaryLink, SecondaryButton } from '#app/ui/button.tsx';
import { EmptyState } from '#app/ui/feedback/empty-state.tsx';
import { ListError } from '#app/ui/feedback/list-error.tsx';
import { PageLoader } from '#app/ui/feedback/page-loader.tsx';
import { SEARCH_MAX_LENGTH, SEARCH_SORTS, type SearchSort } from '#shared/explore/constants.ts';
import { readSearchResults } from '#sync/client/cache/search-reads.ts';
import type { PollView } from '#sync/operations/operation.ts';
import { SearchBar } from './search-bar.tsx';

type Props = {
  renderCard(view: PollView, nowMs: number): ReactNode;
  /** Shown in place of each card while the first page loads. */
  skeleton: ReactNode;
};

const ORDER_WORDS: Readonly<Record<SearchSort, string>> = {
  newest: 'newest first',
  votes: 'most votes first',
  ending: 'ending soonest first',
};

/** One key for each skeleton. */
const SKELETON_KEYS = [1, 2, 3, 4, 5, 6, 7, 8];

const GRID = 'grid grid-cols-2 gap-2.5 md:grid-cols-3 md:gap-5 lg:grid-cols-4';

/** A search for polls, whose text and order are in the address. Needs the server; loaded results remain visible offline. */
export default function SearchPolls({ renderCard, skeleton }: Props) {
  const [query, setQuery] = useSearchParams();
  const q = (query.get('q') ?? '').slice(0, SEARCH_MAX_LENGTH);
  const sort = SEARCH_SORTS.find((order) => order === query.get('sort')) ?? 'newest';
  const { state, results, loadMore, searchAgain } = useSearch({ q, sort });
  const now = useServerNow();
  const polls = results?.polls;
  const views = useUserQueryOf(
    async (db) => (polls === undefined ? undefined : readSearchResults(db, polls, now)),
    [polls, now],
  );
  useScrollRestoration(views !== undefined);

  function setParam(name: 'q' | 'sort', value: string) {
    const nextQuery = new URLSearchParams(query);
    if (value === '') nextQuery.delete(name);
    else nextQuery.set(name, value);
    setQuery(nextQuery, { replace: true });
  }

  return (
    <>
      <SearchBar
        q={q}
        sort={sort}
        onText={(text) => (text === q ? searchAgain() : setParam('q', text))}
        onSort={(next) => setParam('sort', next)}
      />
      <section className="col-span-full" aria-busy={state === 'loading'}>
        <h2 className="sr-only">Search results</h2>
        {state === 'offline' && <SearchOffline />}
        {state === 'failed' && (
          <div className="grid gap-2.5 pt-2">
            <ListError />
            <SecondaryButton onClick={searchAgain} className="mx-auto">
              Try again
            </SecondaryButton>
          </div>
        )}
        {state === 'loading' && results === null && <SearchSkeleton skeleton={skeleton} />}
        {(state === 'done' || state === 'loading') && results !== null && (
          <Results results={results} loadMore={loadMore}>
            {views?.map((view) => renderCard(view, now))}
          </Results>
        )}
      </section>
    </>
  );
}

type ResultsProps = { results: SearchResults; loadMore(): Promise<boolean>; children: ReactNode };

function Results({ results, loadMore, children }: ResultsProps) {
  const { polls, nextCursor } = results;
  const isReachable = useReachable();
  return (
    <>
      <div role="status">
        {polls.length === 0 ? (
          <NoSearchResults q={results.q} />
        ) : (
          <p className="px-1 pt-1 pb-2.5 text-muted text-small">
            {totalLabel(results)}
            <span className="max-md:hidden">, {ORDER_WORDS[results.sort]}</span>
          </p>
        )}
      </div>
      <div className={GRID}>{children}</div>
      {nextCursor !== null && isReachable && <PageLoader key={nextCursor} load={loadMore} />}
      {nextCursor !== null && !isReachable && (
        <p className="py-4 text-center text-body text-muted">The rest will load when you are back online.</p>
      )}
    </>
  );
}

function totalLabel({ total, hasMoreThanTotal }: SearchResults): string {
  const count = total.toLocaleString('en-GB');
  return hasMoreThanTotal ? `More than ${count} polls` : `${count} ${total === 1 ? 'poll' : 'polls'}`;
}

function NoSearchResults({ q }: { q: string }) {
  if (q === '') return <EmptyState title="No polls yet" text="Be the first to create a poll!" />;
  return <EmptyState title="Nothing found" text="Try fewer letters." />;
}

function SearchSkeleton({ skeleton }: { skeleton: ReactNode }) {
  return (
    <div role="status" className="pt-8">
      <span className="sr-only">Searching</span>
      <div className={GRID}>
        {SKELETON_KEYS.map((key) => (
          <div key={key}>{skeleton}</div>
        ))}
      </div>
    </div>
  );
}

function SearchOffline() {
  const deck = useDeckView(NEW_PASS, useServerNow());
  const hasCards = deck !== undefined && deck.open.length > 0;
  return (
    <div role="status">
      <EmptyState title="Search needs a connection" {...(hasCards && { text: 'The deck works offline.' })}>
        {hasCards && <PrimaryLink to={paths.explore.href()}>Open the deck</PrimaryLink>}
      </EmptyState>
    </div>
  );
}
