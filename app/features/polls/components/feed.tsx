import { useAtomValue } from 'jotai';
import { Plus, RefreshCw } from 'lucide-react';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { checkFeedAge, loadMore, refreshFeed } from '#app/features/polls/actions.ts';
import { feedIsOldAtom, loadingMoreAtom } from '#app/features/polls/atoms.ts';
import { PollCard } from '#app/features/polls/components/card/poll-card.tsx';
import { useRestoredScroll } from '#app/features/polls/lib/scroll-memory.ts';
import { useFeed, useFeedLoad } from '#app/features/polls/queries.ts';
import { newPollsState } from '#app/lib/engine/engine.ts';
import { useReachable } from '#app/lib/engine/online.ts';
import { useServerNow } from '#app/lib/engine/server-now.ts';
import { useObservable } from '#app/lib/engine/use-observable.ts';
import { Key } from '#app/ui/button.tsx';
import { EmptyState } from '#app/ui/empty-state.tsx';
import { Icon } from '#app/ui/icon.tsx';
import type { FeedView } from '#sync/client/cache/reads.ts';
import { BackToTop } from './back-to-top.tsx';
import { CardSkeleton, GridSkeleton, TrendingHeading, TrendingSkeleton } from './feed-skeleton.tsx';
import { ListError, NotOnDevice } from './list-error.tsx';
import { TrendingCard } from './trending-card.tsx';

/** Until the first other try for a next page; the wait doubles with each, up to 16 times. */
const PAGE_RETRY_MS = 3_000;

type Props = { onCreate(): void; canCreate: boolean };

/** The Polls tab. Only its tab and Refresh load page 1 again; coming back to it shows what was there. */
export function Feed({ onCreate, canCreate }: Props) {
  const view = useFeed();
  const load = useFeedLoad();
  const now = useServerNow();
  useEffect(() => {
    if (load === 'idle') void refreshFeed();
  }, [load]);
  // A first visit without a network, and a server that was restored: page 1 comes as soon as the server can be reached.
  const isMissing = view !== undefined && view.meta === null;
  const reachable = useReachable();
  useEffect(() => {
    if (isMissing && reachable) void refreshFeed();
  }, [isMissing, reachable]);
  const isKnown = view !== undefined && (view.meta !== null || view.latest.length > 0);
  useRestoredScroll(isKnown);
  useReturns(checkFeedAge);

  if (!isKnown) {
    if (load === 'failed') return <FeedError />;
    return load === 'unreachable' ? (
      <LatestFrame>
        <NotOnDevice polls="the polls" />
      </LatestFrame>
    ) : (
      <FeedLoading />
    );
  }
  // That the server is away is said by the connection card, and what is known stays good.
  const hasFailed = load === 'failed';
  if (view.latest.length + view.trending.length === 0) {
    return hasFailed ? <FeedError /> : <NoPolls onCreate={onCreate} canCreate={canCreate} />;
  }
  return (
    <>
      {view.trending.length > 0 && (
        <section>
          <TrendingHeading />
          <div className="grid grid-cols-2 gap-2 md:gap-5">
            {view.trending.map((entry) => (
              <TrendingCard key={entry.poll.id} view={entry} nowMs={now} />
            ))}
          </div>
        </section>
      )}
      <Latest view={view} now={now} hasFailed={hasFailed} />
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

function Latest({ view, now, hasFailed }: { view: FeedView; now: number; hasFailed: boolean }) {
  const loadingMore = useAtomValue(loadingMoreAtom);
  // Without its meta page 1 is still to come, and what is shown was made here.
  const isLoading = loadingMore || view.meta === null;
  return (
    <LatestFrame>
      {hasFailed && (
        <div className="pb-2.5 md:pb-5">
          <ListError />
        </div>
      )}
      <div className="feed-grid">
        {view.latest.map((entry, place) => (
          <PollCard key={entry.poll.id} view={entry} nowMs={now} priority={place === 0} />
        ))}
        {isLoading && <CardSkeleton />}
      </div>
      {view.meta?.hasMore === true && <Sentinel key={view.latest.length} />}
      {view.meta?.hasMore === false && (
        <p className="py-4 text-center text-body text-muted">No more polls to load.</p>
      )}
    </LatestFrame>
  );
}

/** Fetches the next page when the end of the list comes near. One that does not come is asked for again, ever later. */
function Sentinel() {
  const end = useRef<HTMLDivElement>(null);
  const [failures, setFailures] = useState(0);
  useEffect(() => {
    if (end.current === null) return;
    let timer = 0;
    const onNear = async () => {
      if (await loadMore()) return;
      timer = window.setTimeout(() => setFailures(failures + 1), PAGE_RETRY_MS * 2 ** Math.min(failures, 4));
    };
    const observer = new IntersectionObserver(
      (entries) => {
        if (entries.some((entry) => entry.isIntersecting)) void onNear();
      },
      { rootMargin: '400px' },
    );
    observer.observe(end.current);
    return () => {
      observer.disconnect();
      clearTimeout(timer);
    };
  }, [failures]);
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

function useMayHaveNewPolls(): boolean {
  const isOld = useAtomValue(feedIsOldAtom);
  return useObservable(newPollsState) || isOld;
}

function RefreshButton() {
  const isLoading = useFeedLoad() === 'loading';
  const hasDot = useMayHaveNewPolls();
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
      <TrendingHeading />
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
  const hasNew = useMayHaveNewPolls();
  // Nobody's place in an empty list can get lost.
  useEffect(() => {
    if (hasNew) void refreshFeed();
  }, [hasNew]);
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
