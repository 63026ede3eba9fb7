import { useEffect } from 'react';
import { refreshOwnPolls } from '#app/features/polls/actions.ts';
import { PollCard } from '#app/features/polls/components/card/poll-card.tsx';
import { useOwnPolls } from '#app/features/polls/queries.ts';
import { useReachable } from '#app/lib/engine/online.ts';
import { hasSucceeded } from '#app/lib/engine/pull-result.ts';
import { useServerNow } from '#app/lib/engine/server-now.ts';
import { useLastPull } from '#app/lib/engine/use-last-pull.ts';
import { useRetry } from '#app/lib/engine/use-retry.ts';
import { useScrollRestoration } from '#app/lib/navigation/use-scroll-restoration.ts';
import { EmptyState } from '#app/ui/feedback/empty-state.tsx';
import { ListError, NotOnDevice } from '#app/ui/feedback/list-error.tsx';
import { PollGrid } from './poll-grid.tsx';
import { GridSkeleton } from './skeletons.tsx';

/** The user's own polls: first from the cache, then from the server. */
export function MyPolls() {
  const view = useOwnPolls();
  const now = useServerNow();
  const isReachable = useReachable();
  const { result, storeResult, clear } = useLastPull(isReachable);
  useEffect(() => storeResult(refreshOwnPolls()), [storeResult]);
  const isListReady = view !== undefined && (view.meta !== null || view.polls.length > 0);
  useRetry(!isListReady && isReachable && result === 'unreachable', () => {
    clear();
    storeResult(refreshOwnPolls());
  });
  useScrollRestoration(isListReady);

  if (!isListReady) {
    if (result === null || hasSucceeded(result)) return <GridSkeleton />;
    return result === 'unreachable' || !isReachable ? <NotOnDevice subject="your polls" /> : <ListError />;
  }
  if (view.polls.length === 0) {
    return <EmptyState title="No polls created yet" text="Two images and a question are all it takes." />;
  }
  return (
    <PollGrid>
      {view.polls.map((entry, index) => (
        <PollCard key={entry.poll.id} view={entry} nowMs={now} priority={index === 0} />
      ))}
    </PollGrid>
  );
}
