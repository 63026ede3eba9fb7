import { lazy, useEffect, useRef } from 'react';
import { useSearchParams } from 'react-router-dom';
import { TooFewPoints } from '#app/features/points/components/too-few-points.tsx';
import { refreshFeed } from '#app/features/polls/actions.ts';
import { HomePolls } from '#app/features/polls/components/home-polls.tsx';
import { useIsPollsTabEmpty } from '#app/features/polls/queries.ts';
import { ReferPanel } from '#app/features/referrals/components/refer-panel.tsx';
import { WarmUpStrip } from '#app/features/warm-up/components/warm-up-strip.tsx';
import { loadEngine } from '#app/lib/engine/engine.ts';
import { useIsAdmin, useUser, useUserDb } from '#app/lib/engine/session.ts';
import { usePoints } from '#app/lib/engine/user-query.ts';
import { usePageTitle } from '#app/lib/navigation/page-title.ts';
import { showToast } from '#app/lib/toasts.ts';
import { LazyBoundary } from '#app/ui/lazy-boundary.tsx';
import { CREATE_POLL_POINTS_MIN } from '#shared/polls/constants.ts';
import { insufficientPointsMessage } from '#shared/polls/rules.ts';
import { readPoints } from '#sync/client/cache/reads.ts';
import type { UserDb } from '#sync/client/db.ts';
import { NewPollDialog, useNewPollDialog } from './create-poll.tsx';
import { HOME_PANEL_ID, HOME_TABS, HomeBar, type HomeTab } from './home-bar.tsx';

const AdminFirstSteps = lazy(() => import('./admin-first-steps.tsx'));

/**
 * Whether the points are enough for a poll; false if that is unknown. Fetches them first: they may have been earned while the
 * app was closed.
 */
async function canPayNow(db: UserDb): Promise<boolean> {
  await loadEngine()
    .then((engine) => engine.refreshUser())
    .catch(() => undefined);
  const points = await readPoints(db).catch(() => null);
  return points !== null && points.spendable >= CREATE_POLL_POINTS_MIN;
}

export default function HomeRoute() {
  const [query, setQuery] = useSearchParams();
  const user = useUser();
  const isAdmin = useIsAdmin();
  const isPollsTabEmpty = useIsPollsTabEmpty();
  const { canCreate, openDialog } = useNewPollDialog();
  const tab: HomeTab = query.get('tab') === 'refer' ? 'refer' : 'polls';
  usePageTitle(HOME_TABS[tab]);

  const hasOpened = useRef(false);
  // The parameter opens the dialog. After another app has shared photos, it is `received` or `lost` (see `SHARE_TARGET_SCREENS`).
  const createParam = query.get('create');
  useEffect(() => {
    if (createParam === null || !canCreate || hasOpened.current) return;
    hasOpened.current = true;
    setQuery({}, { replace: true });
    openDialog({ hasLostPhotos: createParam === 'lost' });
  }, [createParam, canCreate, openDialog, setQuery]);

  const db = useUserDb();
  const hasTooFewPoints = usePoints() !== null && !canCreate;
  useEffect(() => {
    if (createParam === null || !hasTooFewPoints || db === null) return;
    let isCurrent = true;
    void canPayNow(db).then((canPay) => {
      // With enough points, the effect above opens the dialog.
      if (!isCurrent || canPay) return;
      // If the parameter remained, the dialog would open by itself once the user has earned enough points.
      setQuery({}, { replace: true });
      const photosNote = createParam === 'received' ? '. Your photos are kept for an hour.' : '';
      const text = `${insufficientPointsMessage(CREATE_POLL_POINTS_MIN)}${photosNote}`;
      showToast('error', 'Insufficient points', text);
    });
    return () => {
      isCurrent = false;
    };
  }, [createParam, hasTooFewPoints, db, setQuery]);

  // Refreshes the feed whenever the tab changes to Polls, also through a link of the navigation.
  const shownTab = useRef(tab);
  useEffect(() => {
    if (shownTab.current === tab) return;
    shownTab.current = tab;
    if (tab === 'polls') void refreshFeed();
  }, [tab]);

  function showTab(next: HomeTab) {
    setQuery(next === 'refer' ? { tab: next } : {}, { replace: true });
    // Choosing the current tab again refreshes the feed, too.
    if (next === tab && next === 'polls') void refreshFeed();
  }

  const tooFewPointsNote = <TooFewPoints className="px-1 pt-2 text-muted" />;

  return (
    <>
      <h1 className="sr-only">Polls</h1>
      <HomeBar tab={tab} onTabChange={showTab} canCreate={canCreate} onCreate={() => openDialog()} />
      <div
        id={HOME_PANEL_ID}
        role="tabpanel"
        aria-label={HOME_TABS[tab]}
        // A flex container, so that `AdminFirstSteps` can be ordered first.
        className={isAdmin ? 'flex flex-col' : undefined}
      >
        {tab === 'polls' && (
          <HomePolls canCreate={canCreate} onCreate={() => openDialog()}>
            {!isPollsTabEmpty && <WarmUpStrip />}
            {tooFewPointsNote}
          </HomePolls>
        )}
        {tab === 'refer' && tooFewPointsNote}
        {tab === 'polls' && isAdmin && (
          <LazyBoundary>
            <AdminFirstSteps />
          </LazyBoundary>
        )}
        {tab === 'refer' && user !== null && <ReferPanel code={user.referralCode} screen="home" />}
      </div>
      <NewPollDialog />
    </>
  );
}
