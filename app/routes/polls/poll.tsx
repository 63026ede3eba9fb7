import { useSetAtom } from 'jotai';
import { lazy, type ReactNode, useEffect, useEffectEvent, useId, useRef } from 'react';
import { useParams } from 'react-router-dom';
import { refreshPoll } from '#app/features/polls/actions.ts';
import { PollDetail } from '#app/features/polls/components/poll-detail.tsx';
import { PollDetailSkeleton } from '#app/features/polls/components/skeletons.tsx';
import { usePoll } from '#app/features/polls/queries.ts';
import { WarmUpStrip } from '#app/features/warm-up/components/warm-up-strip.tsx';
import { trackEvent } from '#app/lib/analytics/track-event.ts';
import { useReachable } from '#app/lib/engine/online.ts';
import { useServerNow } from '#app/lib/engine/server-now.ts';
import { useLastPull } from '#app/lib/engine/use-last-pull.ts';
import { useRetry } from '#app/lib/engine/use-retry.ts';
import { useUserQuery } from '#app/lib/engine/user-query.ts';
import { usePageTitle } from '#app/lib/navigation/page-title.ts';
import { isShareDialogOpenAtom } from '#app/lib/sharing/share-dialog.ts';
import { paths } from '#app/paths.ts';
import { PrimaryLink, SecondaryButton } from '#app/ui/button.tsx';
import { EmptyState } from '#app/ui/feedback/empty-state.tsx';
import { LazyBoundary } from '#app/ui/lazy-boundary.tsx';
import { readOutbox } from '#sync/client/cache/reads.ts';
import type { PollView } from '#sync/operations/operation.ts';
import { createsPoll } from '#sync/operations/registry.ts';

const HiddenCard = lazy(() => import('#app/features/polls/components/card/hidden-card.tsx'));

export default function PollRoute() {
  const { id = '' } = useParams();
  return <PollScreen key={id} id={id} />;
}

/** Shows the cached poll while it is fetched from the server. */
function PollScreen({ id }: { id: string }) {
  const setSharing = useSetAtom(isShareDialogOpenAtom);
  // Share in the header may have been pressed before this poll was shown; that must not open the dialog of the next one.
  useEffect(() => () => setSharing(false), [setSharing]);
  const view = usePoll(id);
  const outbox = useUserQuery(readOutbox);
  const nowMs = useServerNow();
  const isReachable = useReachable();
  const { result: pullResult, storeResult, clear } = useLastPull(isReachable);
  useEffect(() => storeResult(refreshPoll(id)), [storeResult, id]);
  function pullAgain() {
    clear();
    storeResult(refreshPoll(id));
  }
  const isMissing = view === null;
  const isRefused =
    isMissing && outbox?.needsDecision.some((op) => op.entityId === id && createsPoll(op)) === true;
  usePageTitle(view?.poll.question ?? (isRefused ? 'Poll not posted' : 'Poll'));
  const hasPoll = view !== null && view !== undefined;
  useEffect(() => {
    if (hasPoll)
      trackEvent({ name: 'View Poll', path: paths.poll.href(id), props: { category: 'Engagement' } });
  }, [hasPoll, id]);

  useRetry(isMissing && isReachable && pullResult === 'unreachable', pullAgain);
  const wasShown = useRef(false);
  const pullAfterRemoval = useEffectEvent(pullAgain);
  useEffect(() => {
    // The poll was probably removed while it was open; only the server can confirm that.
    if (wasShown.current && isMissing && pullResult !== 'gone') pullAfterRemoval();
    wasShown.current = hasPoll;
  }, [isMissing, hasPoll, pullResult]);

  if (hasPoll) return <CachedPoll view={view} nowMs={nowMs} />;
  if (isRefused) return <RefusedPoll />;
  // After a successful fetch the poll is about to be read from the cache.
  if (view === undefined || outbox === undefined || pullResult === null || pullResult === 'updated')
    return <PollDetailSkeleton />;
  if (pullResult === 'gone') return <MissingPoll />;
  const reason =
    pullResult === 'unreachable'
      ? {
          title: 'Not on this device',
          text: 'The server cannot be reached, and this poll is not stored here.',
        }
      : { title: 'Error loading the poll', text: 'Please try again later.' };
  return (
    <WithoutShare>
      <EmptyState level={1} {...reason}>
        <SecondaryButton onClick={pullAgain}>Try again</SecondaryButton>
        <PrimaryLink to={paths.home.href()}>Back to the polls</PrimaryLink>
      </EmptyState>
    </WithoutShare>
  );
}

function CachedPoll({ view, nowMs }: { view: PollView; nowMs: number }) {
  const focusKey = useId();
  if (view.hidden) {
    return (
      <WithoutShare className="mx-auto grid w-full max-w-72 pt-3">
        <h1 className="sr-only">Hidden poll</h1>
        <LazyBoundary>
          <HiddenCard view={view} hidden={view.hidden} focusKey={focusKey} />
        </LazyBoundary>
      </WithoutShare>
    );
  }
  return (
    <>
      <WarmUpStrip />
      <PollDetail view={view} nowMs={nowMs} focusKey={focusKey} />
    </>
  );
}

type WithoutShareProps = { className?: string; children: ReactNode };

/** What is shown instead of the poll. `data-poll-gone` hides Share in the header. */
function WithoutShare({ className, children }: WithoutShareProps) {
  return (
    <div className={className} data-poll-gone="">
      {children}
    </div>
  );
}

function RefusedPoll() {
  return (
    <WithoutShare>
      <EmptyState level={1} title="Poll not posted" text="It is in the outbox, where you can try again.">
        <PrimaryLink to={paths.outbox.href()}>Open the outbox</PrimaryLink>
      </EmptyState>
    </WithoutShare>
  );
}

function MissingPoll() {
  usePageTitle('This poll is gone');
  return (
    <WithoutShare>
      <EmptyState level={1} title="This poll is gone" text="It has been removed, or it never existed.">
        <PrimaryLink to={paths.home.href()}>Back to the polls</PrimaryLink>
      </EmptyState>
    </WithoutShare>
  );
}
