import { useEffect, useState } from 'react';
import { refreshOwnPolls } from '#app/features/polls/actions.ts';
import { PollCard } from '#app/features/polls/components/card/poll-card.tsx';
import { useOwnPolls } from '#app/features/polls/queries.ts';
import { useOnline } from '#app/lib/engine/online.ts';
import { useServerNow } from '#app/lib/engine/server-now.ts';
import { useScrollRestoration } from '#app/lib/navigation/use-scroll-restoration.ts';
import { EmptyState } from '#app/ui/feedback/empty-state.tsx';
import { ListError, NotOnDevice } from '#app/ui/feedback/list-error.tsx';
import type { PullResult } from '#sync/client/cache/pull.ts';
import { GridSkeleton } from './skeletons.tsx';

/** The user's own polls: first from the cache, then from the server. */
export function MyPolls() {
  const view = useOwnPolls();
  const now = useServerNow();
  const online = useOnline();
  const [last, setLast] = useState<{ result: PullResult; online: boolean } | null>(null);
  useEffect(() => {
    const note = (result: PullResult) => setLast({ result, online });
    refreshOwnPolls().then(note, () => note('failed'));
  }, [online]);
  // A result from a time without a network is ignored once the network is back.
  const pulled = last === null || (online && !last.online) ? null : last.result;
  const isKnown = view !== undefined && (view.meta !== null || view.polls.length > 0);
  useScrollRestoration(isKnown);

  if (!isKnown) {
    const isLoading = pulled === null || pulled === 'updated' || pulled === 'unchanged';
    if (isLoading) return <GridSkeleton />;
    return pulled === 'unreachable' || !online ? <NotOnDevice what="your polls" /> : <ListError />;
  }
  if (view.polls.length === 0) {
    return <EmptyState title="No polls created yet" text="Two images and a question are all it takes." />;
  }
  return (
    <div className="feed-grid">
      {view.polls.map((entry, place) => (
        <PollCard key={entry.poll.id} view={entry} nowMs={now} priority={place === 0} />
      ))}
    </div>
  );
}
