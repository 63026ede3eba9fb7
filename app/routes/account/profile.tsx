import { lazy } from 'react';
import { useSearchParams } from 'react-router-dom';
import { ProfileCard } from '#app/features/accounts/components/profile-card.tsx';
import { VerifyNote } from '#app/features/accounts/components/verify-note.tsx';
import { OutboxLink } from '#app/features/outbox/components/outbox-link.tsx';
import { PointsTotal } from '#app/features/points/components/points-badge.tsx';
import { TooFewPoints } from '#app/features/points/components/too-few-points.tsx';
import { PollThumbnail } from '#app/features/polls/components/card/poll-thumbnail.tsx';
import { MyPolls } from '#app/features/polls/components/my-polls.tsx';
import { useUser } from '#app/lib/engine/session.ts';
import { usePageTitle } from '#app/lib/navigation/page-title.ts';
import { CreatePollButton } from '#app/routes/polls/create-poll.tsx';
import { DaySkeleton } from '#app/ui/day-list.tsx';
import { FocusFallback } from '#app/ui/focus-fallback.tsx';
import { SegmentedControl } from '#app/ui/forms/segmented-control.tsx';
import { LazyBoundary } from '#app/ui/lazy-boundary.tsx';

const ActivityList = lazy(() => import('#app/features/activity/components/activity-list.tsx'));

const PANEL_ID = 'profile-panel';
const TABS = { polls: 'My Polls', activity: 'Activity' };

export default function ProfileRoute() {
  const [query, setQuery] = useSearchParams();
  const user = useUser();
  const tab = query.get('tab') === 'activity' ? 'activity' : 'polls';
  usePageTitle('Profile');

  return (
    <>
      {user !== null && <ProfileCard user={user} badge={<PointsTotal />} />}
      {user?.isVerified === false && (
        <FocusFallback className="pt-4">
          <VerifyNote user={user} />
        </FocusFallback>
      )}
      <OutboxLink />
      <div
        className={`flex gap-3 py-4 max-md:flex-col md:justify-between ${tab === 'activity' ? 'sticky top-[calc(3.5rem+env(safe-area-inset-top))] z-[9] bg-base-200 md:top-[4.25rem]' : ''}`}
      >
        <SegmentedControl
          label="Sections"
          value={tab}
          segments={TABS}
          onChange={(next) => setQuery(next === 'activity' ? { tab: next } : {}, { replace: true })}
          panelId={PANEL_ID}
        />
        {tab === 'polls' && <CreatePollButton className="md:px-5" />}
      </div>
      {tab === 'polls' && <TooFewPoints className="-mt-2 px-1 pb-4 text-muted md:text-right" />}
      <div id={PANEL_ID} role="tabpanel" aria-label={TABS[tab]}>
        {tab === 'polls' ? (
          <MyPolls />
        ) : (
          <LazyBoundary fallback={<DaySkeleton label="Loading activity" />}>
            <ActivityList
              renderThumbnail={(poll, createOpId) => (
                <PollThumbnail poll={poll} createOpId={createOpId} isRow />
              )}
            />
          </LazyBoundary>
        )}
      </div>
    </>
  );
}
