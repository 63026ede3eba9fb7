import { useEffect, useState } from 'react';
import { refreshMine } from '#app/features/polls/actions.ts';
import { PollCard } from '#app/features/polls/components/card/poll-card.tsx';
import { useRestoredScroll } from '#app/features/polls/lib/scroll-memory.ts';
import { useMine } from '#app/features/polls/queries.ts';
import { useOnline } from '#app/lib/engine/online.ts';
import { useServerNow } from '#app/lib/engine/server-now.ts';
import { EmptyState } from '#app/ui/empty-state.tsx';
import type { PullResult } from '#sync/client/types.ts';
import { GridSkeleton } from './feed-skeleton.tsx';
import { ListError, NotOnDevice } from './list-error.tsx';

/** The user's own polls: at once what this device knows, then what the server says. */
export function MyPolls() {
  const view = useMine();
  const now = useServerNow();
  const online = useOnline();
  const [last, setLast] = useState<{ result: PullResult; online: boolean } | null>(null);
  useEffect(() => {
    const note = (result: PullResult) => setLast({ result, online });
    refreshMine().then(note, () => note('failed'));
  }, [online]);
  // A network that comes back brings them.
  const pulled = last === null || (online && !last.online) ? null : last.result;
  const isKnown = view !== undefined && (view.meta !== null || view.polls.length > 0);
  useRestoredScroll(isKnown);

  if (!isKnown) {
    const isComing = pulled === null || pulled === 'updated' || pulled === 'unchanged';
    if (isComing) return <GridSkeleton />;
    return pulled === 'unreachable' || !online ? <NotOnDevice polls="your polls" /> : <ListError />;
  }
  if (view.polls.length === 0) {
    return <EmptyState title="No polls created yet" text="Two pictures and a question are all it takes." />;
  }
  return (
    <div className="feed-grid">
      {view.polls.map((entry, place) => (
        <PollCard key={entry.poll.id} view={entry} nowMs={now} priority={place === 0} />
      ))}
    </div>
  );
}
