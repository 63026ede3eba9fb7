import { lazy, useEffect, useState } from 'react';
import { Navigate, useLocation, useNavigate, useSearchParams } from 'react-router-dom';
import { AuthLayout } from '#app/features/accounts/components/auth-layout.tsx';
import { LoginForm } from '#app/features/accounts/components/login-form.tsx';
import { SignupForm } from '#app/features/accounts/components/signup-form.tsx';
import { replayEarlyClicks } from '#app/lib/browser/early-clicks.ts';
import { useSession } from '#app/lib/engine/session.ts';
import { useObservable } from '#app/lib/engine/use-observable.ts';
import { safeNextPath } from '#app/lib/navigation/next-path.ts';
import { usePageTitle } from '#app/lib/navigation/page-title.ts';
import { pendingVoteState, slugOf } from '#app/lib/sharing/pending-vote.ts';
import { dismissTopic } from '#app/lib/toasts.ts';
import { isWarmingUp } from '#app/lib/warm-up.ts';
import { paths } from '#app/paths.ts';
import { SegmentedControl } from '#app/ui/forms/segmented-control.tsx';
import { LazyBoundary } from '#app/ui/lazy-boundary.tsx';
import { OfflineNotice } from '#app/ui/online.tsx';
import { isSignupRequested } from '#shared/service/rules.ts';

const loadPendingVote = () => import('#app/features/polls/components/share/pending-vote.tsx');
const PendingVoteCard = lazy(async () => ({ default: (await loadPendingVote()).PendingVoteCard }));
const PendingVoteNote = lazy(async () => ({ default: (await loadPendingVote()).PendingVoteNote }));
const SessionEndedNote = lazy(() => import('#app/features/accounts/components/session-ended-note.tsx'));

// While pages are prerendered there is no `location`.
const ORIGIN = typeof location === 'undefined' ? 'http://localhost' : location.origin;
const PANEL_ID = 'auth-form';
const TABS = { login: 'Log In', signup: 'Sign Up' };
const TEXTS = {
  login: { greeting: 'Welcome back', offline: 'Connect to log in.' },
  signup: { greeting: 'Nice to meet you', offline: 'Connect to sign up.' },
};

export default function AuthRoute() {
  const [query] = useSearchParams();
  const { state } = useLocation();
  const referralCode = query.get('ref');
  const [tab, setTab] = useState<keyof typeof TABS>(isSignupRequested(query) ? 'signup' : 'login');
  const session = useSession();
  usePageTitle(TABS[tab]);
  useEffect(replayEarlyClicks, []);
  const next = safeNextPath(query.get('next'), ORIGIN);
  const pendingVote = useObservable(pendingVoteState);
  const votePath = pendingVote === null ? null : paths.share.href(slugOf(pendingVote.poll.shareUrl));
  const vote = next === votePath ? pendingVote : null;

  const needsLogin = session.status === 'user' && session.needsLogin;
  if (session.status === 'user' && !needsLogin) {
    if (state?.isFromNext === true) return <GoBack />;
    // A new account without another destination starts with the deck.
    const startsWarmUp = tab === 'signup' && next === paths.root.href() && isWarmingUp(session.user.id);
    return <Navigate to={startsWarmUp ? paths.explore.href() : next} replace />;
  }
  return (
    <AuthLayout
      lead={vote === null ? undefined : 'One step, then your vote counts.'}
      card={
        vote === null ? undefined : (
          <LazyBoundary fallback={<div className="aspect-4/3" />}>
            <PendingVoteCard vote={vote} />
          </LazyBoundary>
        )
      }
    >
      <h2 className="pb-5 text-title max-md:hidden">{TEXTS[tab].greeting}</h2>
      {needsLogin && (
        <LazyBoundary>
          <SessionEndedNote />
        </LazyBoundary>
      )}
      <OfflineNotice className="mb-4">You are offline. {TEXTS[tab].offline}</OfflineNotice>
      <SegmentedControl
        label="Log in or sign up"
        value={tab}
        segments={TABS}
        onChange={(nextTab) => {
          dismissTopic('auth');
          setTab(nextTab);
        }}
        panelId={PANEL_ID}
        className="in-sheet mb-5"
      />
      {vote !== null && (
        <LazyBoundary fallback={<div className="mb-4 min-h-18" />}>
          <PendingVoteNote vote={vote} isSignup={tab === 'signup'} />
        </LazyBoundary>
      )}
      <div
        id={PANEL_ID}
        role="tabpanel"
        aria-label={TABS[tab]}
        // Typing dismisses the last error.
        onInput={() => dismissTopic('auth')}
      >
        {tab === 'login' ? <LoginForm /> : <SignupForm referralCode={referralCode} />}
      </div>
    </AuthLayout>
  );
}

/** Goes back to the previous entry of the browser's history, which is `next`. A redirect would make a second entry for `next`. */
function GoBack() {
  const navigate = useNavigate();
  useEffect(() => {
    // Delayed, since React runs effects twice during development.
    const timer = setTimeout(() => navigate(-1));
    return () => clearTimeout(timer);
  }, [navigate]);
  return null;
}
