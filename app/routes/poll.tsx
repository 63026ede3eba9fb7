import { useCallback, useEffect, useEffectEvent, useRef, useState } from 'react';
import { Link, useParams } from 'react-router-dom';
import { refreshPoll } from '#app/features/polls/actions.ts';
import { PollDetail } from '#app/features/polls/components/poll-detail.tsx';
import { PollDetailSkeleton } from '#app/features/polls/components/poll-detail-skeleton.tsx';
import { usePoll } from '#app/features/polls/queries.ts';
import { countEvent } from '#app/lib/analytics/count-event.ts';
import { useServerNow } from '#app/lib/engine/server-now.ts';
import { usePageTitle } from '#app/lib/page-title.ts';
import { paths } from '#app/paths.ts';
import { QuietButton } from '#app/ui/button.tsx';
import { EmptyState } from '#app/ui/empty-state.tsx';
import type { PullResult } from '#sync/client/types.ts';

export default function PollRoute() {
  const { id = '' } = useParams();
  return <PollScreen key={id} id={id} />;
}

/** The poll as this device knows it, while the server is asked for its newest state. */
function PollScreen({ id }: { id: string }) {
  const view = usePoll(id);
  const now = useServerNow();
  const [pulled, setPulled] = useState<PullResult | null>(null);
  const pull = useCallback(() => void refreshPoll(id).then(setPulled, () => setPulled('failed')), [id]);
  useEffect(pull, [pull]);
  function pullAgain() {
    setPulled(null);
    pull();
  }
  usePageTitle(view?.poll.question ?? 'Poll');
  const isKnown = view !== null && view !== undefined;
  useEffect(() => {
    if (isKnown)
      countEvent({ name: 'View Poll', path: paths.poll.href(id), props: { category: 'Engagement' } });
  }, [isKnown, id]);

  const isAbsent = view === null;
  const wasKnown = useRef(false);
  const askForRemoved = useEffectEvent(pullAgain);
  useEffect(() => {
    // Removed while it was open, most likely: the server says so.
    if (wasKnown.current && isAbsent && pulled !== 'gone') askForRemoved();
    wasKnown.current = isKnown;
  }, [isAbsent, isKnown, pulled]);

  if (view !== null && view !== undefined) return <PollDetail view={view} nowMs={now} />;
  // What has just been fetched shows as soon as it is read.
  if (view === undefined || pulled === null || pulled === 'updated') return <PollDetailSkeleton />;
  if (pulled === 'gone') return <Gone />;
  return (
    <Absence
      title="Not on this device yet"
      text="The server cannot be reached, and this poll has not been opened here before."
      onRetry={pullAgain}
    />
  );
}

function Gone() {
  usePageTitle('This poll is gone');
  return (
    // For the header: there is nothing to share.
    <div data-poll-gone="">
      <Absence title="This poll is gone" text="It was taken down, or it never was." />
    </div>
  );
}

type AbsenceProps = { title: string; text: string; onRetry?: () => void };

function Absence({ title, text, onRetry }: AbsenceProps) {
  return (
    <EmptyState level={1} title={title} text={text}>
      {onRetry !== undefined && <QuietButton onClick={onRetry}>Try again</QuietButton>}
      <Link to={paths.home.href()} className="key key-primary">
        Back to the polls
      </Link>
    </EmptyState>
  );
}
