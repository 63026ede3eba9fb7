import { useAtom, useAtomValue } from 'jotai';
import { lazy, Suspense, useEffect } from 'react';
import { useSearchParams } from 'react-router-dom';
import { usePoints } from '#app/features/points/queries.ts';
import { refreshFeed } from '#app/features/polls/actions.ts';
import { createPollOpenAtom } from '#app/features/polls/atoms.ts';
import { Feed } from '#app/features/polls/components/feed.tsx';
import { ReferPanel } from '#app/features/referrals/components/refer-panel.tsx';
import { sessionAtom } from '#app/lib/engine.ts';
import { usePageTitle } from '#app/lib/page-title.ts';
import { CREATE_POLL_MIN_POINTS } from '#shared/polls/constants.ts';
import { HOME_PANEL_ID, HomeBar, type HomeTab } from './home-bar.tsx';

const CreatePollDialog = lazy(() => import('#app/features/polls/components/create-poll-dialog.tsx'));

export default function HomeRoute() {
  const [query, setQuery] = useSearchParams();
  const [isCreating, setCreating] = useAtom(createPollOpenAtom);
  const session = useAtomValue(sessionAtom);
  const points = usePoints();
  const tab: HomeTab = query.get('tab') === 'refer' ? 'refer' : 'polls';
  const canCreate = points !== null && points.spendable >= CREATE_POLL_MIN_POINTS;
  usePageTitle(tab === 'refer' ? 'Refer & Earn' : 'Polls');

  const isAskedFor = query.get('create') !== null;
  useEffect(() => {
    if (!isAskedFor || !canCreate) return;
    setCreating(true);
    setQuery({}, { replace: true });
  }, [isAskedFor, canCreate, setCreating, setQuery]);

  function showTab(next: HomeTab) {
    setQuery(next === 'refer' ? { tab: next } : {}, { replace: true });
    if (next === 'polls') void refreshFeed();
  }

  return (
    <>
      <h1 className="sr-only">Polls</h1>
      <HomeBar tab={tab} onTab={showTab} canCreate={canCreate} onCreate={() => setCreating(true)} />
      <div id={HOME_PANEL_ID} role="tabpanel" aria-label={tab === 'refer' ? 'Refer & Earn' : 'Polls'}>
        {tab === 'polls' && <Feed canCreate={canCreate} onCreate={() => setCreating(true)} />}
        {tab === 'refer' && session.status === 'user' && <ReferPanel code={session.user.referralCode} />}
      </div>
      {isCreating && points !== null && (
        <Suspense>
          <CreatePollDialog points={points} onClose={() => setCreating(false)} />
        </Suspense>
      )}
    </>
  );
}
