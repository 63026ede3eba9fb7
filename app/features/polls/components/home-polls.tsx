import { useAtomValue } from 'jotai';
import { Plus, RefreshCw } from 'lucide-react';
import { type ComponentProps, lazy, type ReactNode, useDeferredValue, useEffect, useId } from 'react';
import { checkFeedAge, loadMorePolls, refreshFeed } from '#app/features/polls/actions.ts';
import { isFeedStaleAtom, isLoadingMoreAtom } from '#app/features/polls/atoms.ts';
import { PollCard } from '#app/features/polls/components/card/poll-card.tsx';
import { useSnapshotSaver } from '#app/features/polls/hooks/use-snapshot-saver.ts';
import { dropLastSnapshot } from '#app/features/polls/lib/home-snapshot.ts';
import { useFeedLoadState, usePollsTab } from '#app/features/polls/queries.ts';
import { useOnVisible } from '#app/lib/browser/use-on-visible.ts';
import { newPollsState } from '#app/lib/engine/engine.ts';
import { useReachable } from '#app/lib/engine/online.ts';
import { useServerNow } from '#app/lib/engine/server-now.ts';
import { useObservable } from '#app/lib/engine/use-observable.ts';
import { useRetry } from '#app/lib/engine/use-retry.ts';
import { useScrollRestoration } from '#app/lib/navigation/use-scroll-restoration.ts';
import { PrimaryButton } from '#app/ui/button.tsx';
import { EmptyState } from '#app/ui/feedback/empty-state.tsx';
import { ListError, NotOnDevice } from '#app/ui/feedback/list-error.tsx';
import { PageLoader } from '#app/ui/feedback/page-loader.tsx';
import { Icon } from '#app/ui/icon.tsx';
import { LazyBoundary } from '#app/ui/lazy-boundary.tsx';
import type { PollsTabView } from '#sync/client/cache/reads.ts';
import { BackToTop } from './back-to-top.tsx';
import { HomeSnapshot } from './home-snapshot.tsx';
import { PollGrid } from './poll-grid.tsx';
import { CardSkeleton, GridSkeleton, TrendingHeading, TrendingSkeleton } from './skeletons.tsx';
import { TrendingCard } from './trending-card.tsx';

const HiddenCard = lazy(() => import('./card/hidden-card.tsx'));

type Props = {
  onCreate(): void;
  canCreate: boolean;
  /** Shown above the polls. */
  children: ReactNode;
};

/** The content of the Polls tab. Selecting the tab and Refresh reload page 1; returning to the screen shows the cached feed. */
export function HomePolls({ onCreate, canCreate, children }: Props) {
  const view = usePollsTab();
  const load = useFeedLoadState();
  const now = useServerNow();
  useEffect(() => {
    if (load === 'idle') void refreshFeed();
  }, [load]);
  const isReachable = useReachable();
  const hasCards =
    view !== undefined && view.latest.length + (view.meta === null ? 0 : view.trending.length) > 0;
  const hasNoCards = view !== undefined && !hasCards;
  const isListReady = hasCards || (hasNoCards && view.meta !== null && view.hasLoaded);
  // Page 1 is missing after a first visit offline or a restore of the server: load it once the server is reachable.
  const isPageOneMissing = view !== undefined && (view.meta === null || !isListReady);
  useEffect(() => {
    if (isPageOneMissing && isReachable) void refreshFeed();
  }, [isPageOneMissing, isReachable]);
  useRetry(isPageOneMissing && isReachable && load === 'unreachable', () => void refreshFeed());
  // Deferred: React then renders the first cards in slices of 5 ms, so that a slow phone responds to touches meanwhile.
  const canShowList = useDeferredValue(isListReady) && isListReady;
  useScrollRestoration(canShowList);
  // Checked again once the server is reachable again, since live updates about new polls may have been missed.
  useOnVisible(checkFeedAge, isReachable);
  const contentRef = useSnapshotSaver(canShowList && load !== 'failed' ? view : undefined);

  // The snapshot shows polls that are gone, or says that there are none, which may be out of date.
  useEffect(() => {
    if (hasNoCards) dropLastSnapshot();
  }, [hasNoCards]);

  const hasFailed = load === 'failed';
  // When the server is unreachable, the connection card says so, and a feed that is on this device remains.
  if (!hasCards && (hasFailed || (load === 'unreachable' && !isListReady))) {
    return (
      <div ref={contentRef}>
        {children}
        <LatestSection>
          {hasFailed ? <ListError /> : <NotOnDevice subject="the polls" wasLoaded={view?.meta != null} />}
        </LatestSection>
      </div>
    );
  }
  if (!canShowList) return <HomePollsSkeleton hasSnapshot={!hasNoCards}>{children}</HomePollsSkeleton>;
  if (!hasCards) {
    return (
      <div ref={contentRef}>
        {children}
        <NoPolls onCreate={onCreate} canCreate={canCreate} />
      </div>
    );
  }
  return (
    <div ref={contentRef}>
      {children}
      {view.trending.length > 0 && (
        <section>
          <TrendingHeading />
          <div className="grid grid-cols-2 gap-2 md:gap-5">
            {view.trending.map((entry) => (
              <TrendingCard
                key={entry.poll.id}
                view={entry}
                nowMs={now}
                isOnly={view.trending.length === 1}
              />
            ))}
          </div>
        </section>
      )}
      <LatestPolls view={view} nowMs={now} hasFailed={hasFailed} />
      <BackToTop />
    </div>
  );
}

function LatestPolls({ view, nowMs, hasFailed }: { view: PollsTabView; nowMs: number; hasFailed: boolean }) {
  const isLoadingMore = useAtomValue(isLoadingMoreAtom);
  // Without metadata, page 1 has not been loaded yet: the visible polls were created on this device.
  const isLoading = isLoadingMore || (view.meta === null && !hasFailed);
  return (
    <LatestSection>
      {hasFailed && (
        <div className="pb-2.5 md:pb-5">
          <ListError />
        </div>
      )}
      <PollGrid>
        {view.latest.map((entry, index) => (
          <FeedCard key={entry.poll.id} view={entry} nowMs={nowMs} priority={index === 0} />
        ))}
        {isLoading && <CardSkeleton />}
      </PollGrid>
      {/* The key mounts the loader again after each page: the end of the list may still be near the screen. */}
      {view.meta?.hasMore === true && (
        <PageLoader key={`${view.latest.length} ${view.meta.nextCursor}`} load={loadMorePolls} />
      )}
      {view.meta?.hasMore === false && (
        <p className="py-4 text-center text-body text-muted">No more polls to load.</p>
      )}
    </LatestSection>
  );
}

/** The card of a poll, or a note that the user has just hidden it. */
function FeedCard(props: ComponentProps<typeof PollCard>) {
  const { view } = props;
  const focusKey = useId();
  if (!view.hidden) return <PollCard {...props} focusKey={focusKey} />;
  return (
    <LazyBoundary fallback={<CardSkeleton />}>
      <HiddenCard view={view} hidden={view.hidden} focusKey={focusKey} />
    </LazyBoundary>
  );
}

function LatestSection({ children }: { children: ReactNode }) {
  return (
    <section>
      <div className="section-heading flex items-center justify-between">
        <h2 className="text-question">Latest Polls</h2>
        <RefreshButton />
      </div>
      {children}
    </section>
  );
}

function useMayHaveNewPolls(): boolean {
  const isStale = useAtomValue(isFeedStaleAtom);
  return useObservable(newPollsState) || isStale;
}

function RefreshButton() {
  const isLoading = useFeedLoadState() === 'loading';
  const hasDot = useMayHaveNewPolls();
  return (
    <button
      type="button"
      onClick={() => void refreshFeed()}
      aria-disabled={isLoading}
      aria-label={hasDot ? 'Refresh, there may be new polls' : undefined}
      className="-my-2 flex min-h-11 cursor-pointer items-center justify-center gap-2 rounded-control px-3 font-semibold text-body text-muted md:text-base-content"
    >
      <span className="relative">
        <Icon icon={RefreshCw} size={16} className={isLoading ? 'animate-spin' : ''} />
        {hasDot && <span className="absolute -top-1 -right-1 size-2.5 rounded-full bg-neutral" />}
      </span>
      Refresh
    </button>
  );
}

function HomePollsSkeleton({ hasSnapshot, children }: Pick<Props, 'children'> & { hasSnapshot: boolean }) {
  const skeleton = (
    <>
      {children}
      <TrendingHeading />
      <TrendingSkeleton />
      <LatestSection>
        <GridSkeleton />
      </LatestSection>
    </>
  );
  return hasSnapshot ? <HomeSnapshot>{skeleton}</HomeSnapshot> : skeleton;
}

function NoPolls({ onCreate, canCreate }: Omit<Props, 'children'>) {
  const mayHaveNewPolls = useMayHaveNewPolls();
  const isReachable = useReachable();
  // New polls are loaded automatically: in an empty list there is no reading position to lose.
  const shouldLoad = mayHaveNewPolls && isReachable;
  useEffect(() => {
    if (shouldLoad) void refreshFeed();
  }, [shouldLoad]);
  const load = useFeedLoadState();
  useRetry(shouldLoad && load === 'unreachable', () => void refreshFeed());
  return (
    <EmptyState title="No polls yet" text="Be the first to create a poll!">
      <PrimaryButton onClick={onCreate} disabled={!canCreate}>
        <Icon icon={Plus} /> Create a Poll
      </PrimaryButton>
      <div className="grid pt-2">
        <RefreshButton />
      </div>
    </EmptyState>
  );
}
