import { lazy, useEffect, useState } from 'react';
import { Navigate, useSearchParams } from 'react-router-dom';
import { AuthLayout } from '#app/features/accounts/components/auth-layout.tsx';
import { LoginForm } from '#app/features/accounts/components/login-form.tsx';
import { SignupForm } from '#app/features/accounts/components/signup-form.tsx';
import { replayEarlyClicks } from '#app/lib/early-clicks.ts';
import { useSession } from '#app/lib/engine/session.ts';
import { safeNextPath } from '#app/lib/navigation/next-path.ts';
import { usePageTitle } from '#app/lib/navigation/page-title.ts';
import { dismissTopic } from '#app/lib/toasts.ts';
import { LazyBoundary } from '#app/ui/lazy-boundary.tsx';
import { OfflineNotice } from '#app/ui/online.tsx';
import { SegmentedControl } from '#app/ui/segmented-control.tsx';
import { wantsSignup } from '#shared/service/rules.ts';

const SessionEndedNote = lazy(() => import('#app/features/accounts/components/session-ended-note.tsx'));

const PANEL_ID = 'auth-form';
const TABS = { login: 'Log In', signup: 'Sign Up' };
const TEXTS = {
  login: { greeting: 'Welcome back', offline: 'Logging in needs one.' },
  signup: { greeting: 'Nice to meet you', offline: 'Signing up needs one.' },
};

export default function AuthRoute() {
  const [query] = useSearchParams();
  const referralCode = query.get('ref');
  const [tab, setTab] = useState<keyof typeof TABS>(wantsSignup(query) ? 'signup' : 'login');
  const session = useSession();
  usePageTitle(TABS[tab]);
  useEffect(replayEarlyClicks, []);

  const needsLogin = session.status === 'user' && session.needsLogin;
  if (session.status === 'user' && !needsLogin) {
    return <Navigate to={safeNextPath(query.get('next'), location.origin)} replace />;
  }
  return (
    <AuthLayout>
      <h2 className="pb-5 text-title max-md:hidden">{TEXTS[tab].greeting}</h2>
      {needsLogin && (
        <LazyBoundary>
          <SessionEndedNote />
        </LazyBoundary>
      )}
      <OfflineNotice className="mb-4">There is no connection. {TEXTS[tab].offline}</OfflineNotice>
      <SegmentedControl
        label="Log in or sign up"
        value={tab}
        segments={TABS}
        onChange={(next) => {
          dismissTopic('auth');
          setTab(next);
        }}
        panelId={PANEL_ID}
        className="in-sheet mb-5"
      />
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
