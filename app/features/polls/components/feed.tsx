import { useAtomValue } from 'jotai';
import { Plus, RefreshCw } from 'lucide-react';
import { type ReactNode, useEffect, useRef } from 'react';
import { checkFeedAge, loadMore, refreshFeed } from '#app/features/polls/actions.ts';
import { feedLoadAtom, loadingMoreAtom, mayHaveNewPollsAtom } from '#app/features/polls/atoms.ts';
import { useFeed } from '#app/features/polls/queries.ts';
import { useRestoredScroll } from '#app/lib/scroll-memory.ts';
import { useServerNow } from '#app/lib/server-now.ts';
import { EmptyState } from '#app/ui/empty-state.tsx';
import { Icon } from '#app/ui/icon.tsx';
import { Key } from '#app/ui/key.tsx';
import type { FeedView } from '#sync/client/reads.ts';
import { BackToTop } from './back-to-top.tsx';
import { CardSkeleton, GridSkeleton, TrendingSkeleton } from './feed-skeleton.tsx';
import { ListError } from './list-error.tsx';
import { PollCard } from './poll-card.tsx';
import { TrendingCard } from './trending-card.tsx';

type Props = { onCreate(): void; canCreate: boolean };

/** The Polls tab. Only its tab and Refresh load page 1 again; coming back to it shows what was there. */
export function Feed({ onCreate, canCreate }: Props) {
  const view = useFeed();
  const load = useAtomValue(feedLoadAtom);
  const now = useServerNow();
  useEffect(() => {
    if (load === 'idle') void refreshFeed();
  }, [load]);
  const isKnown = view !== undefined && (view.meta !== null || view.latest.length > 0);
  useRestoredScroll(isKnown);
  useReturns(checkFeedAge);

  if (!isKnown) return load === 'failed' ? <FeedError /> : <FeedLoading />;
  if (view.latest.length + view.trending.length === 0) {
    return <NoPolls onCreate={onCreate} canCreate={canCreate} />;
  }
  return (
    <>
      {view.trending.length > 0 && (
        <section>
          <h2 className="feed-heading text-question">Top 2 Trending Polls</h2>
          <div className="grid grid-cols-2 gap-2 md:gap-5">
            {view.trending.map((entry) => (
              <TrendingCard key={entry.poll.id} view={entry} nowMs={now} />
            ))}
          </div>
        </section>
      )}
      <Latest view={view} now={now} />
      <BackToTop />
    </>
  );
}

/** Calls `look` when one comes back to this screen, from another one or from another app. */
function useReturns(look: () => Promise<void>) {
  useEffect(() => {
    const onVisible = () => {
      if (document.visibilityState === 'visible') look().catch(() => undefined);
    };
    onVisible();
    document.addEventListener('visibilitychange', onVisible);
    return () => document.removeEventListener('visibilitychange', onVisible);
  }, [look]);
}

function Latest({ view, now }: { view: FeedView; now: number }) {
  const loadingMore = useAtomValue(loadingMoreAtom);
  const hasMore = view.meta?.hasMore ?? false;
  return (
    <LatestFrame>
      <div className="feed-grid">
        {view.latest.map((entry, place) => (
          <PollCard key={entry.poll.id} view={entry} nowMs={now} priority={place === 0} />
        ))}
        {loadingMore && <CardSkeleton />}
      </div>
      {hasMore ? (
        <Sentinel count={view.latest.length} />
      ) : (
        <p className="py-4 text-center text-body text-muted">No more polls to load.</p>
      )}
    </LatestFrame>
  );
}

/** Fetches the next page when the end of the list comes near. */
function Sentinel({ count }: { count: number }) {
  const end = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (end.current === null || count < 0) return;
    const observer = new IntersectionObserver(
      (entries) => {
        if (entries.some((entry) => entry.isIntersecting)) void loadMore();
      },
      { rootMargin: '400px' },
    );
    observer.observe(end.current);
    return () => observer.disconnect();
  }, [count]);
  return <div ref={end} className="h-px" />;
}

function LatestFrame({ children }: { children: ReactNode }) {
  return (
    <section>
      <div className="feed-heading flex items-center justify-between">
        <h2 className="text-question">Latest Polls</h2>
        <RefreshButton />
      </div>
      {children}
    </section>
  );
}

function RefreshButton() {
  const isLoading = useAtomValue(feedLoadAtom) === 'loading';
  const hasDot = useAtomValue(mayHaveNewPollsAtom);
  return (
    <button
      type="button"
      onClick={() => void refreshFeed()}
      aria-disabled={isLoading}
      aria-label={hasDot ? 'Refresh, new polls may be there' : undefined}
      className="-my-2 flex min-h-11 cursor-pointer items-center justify-center gap-2 rounded-key px-3 font-semibold text-body text-muted md:text-base-content"
    >
      <span className="relative">
        <Icon of={RefreshCw} size={16} className={isLoading ? 'animate-spin' : ''} />
        {hasDot && <span className="absolute -top-1 -right-1 size-2.5 rounded-full bg-primary" />}
      </span>
      Refresh
    </button>
  );
}

function FeedLoading() {
  return (
    <>
      <h2 className="feed-heading text-question">Top 2 Trending Polls</h2>
      <TrendingSkeleton />
      <LatestFrame>
        <GridSkeleton />
      </LatestFrame>
    </>
  );
}

function FeedError() {
  return (
    <LatestFrame>
      <ListError />
    </LatestFrame>
  );
}

function NoPolls({ onCreate, canCreate }: Props) {
  return (
    <EmptyState title="No polls yet" text="Be the first to create a poll!">
      <Key onClick={onCreate} disabled={!canCreate}>
        <Icon of={Plus} /> Create a Poll
      </Key>
      <div className="grid pt-2">
        <RefreshButton />
      </div>
    </EmptyState>
  );
}
