import { lazy, useState } from 'react';
import { Navigate, useSearchParams } from 'react-router-dom';
import { AuthSheet } from '#app/features/accounts/components/auth-sheet.tsx';
import { LoginForm } from '#app/features/accounts/components/login-form.tsx';
import { SignupForm } from '#app/features/accounts/components/signup-form.tsx';
import { useSession } from '#app/lib/engine/session.ts';
import { safeNextPath } from '#app/lib/next-path.ts';
import { usePageTitle } from '#app/lib/page-title.ts';
import { dismissTopic } from '#app/lib/toasts.ts';
import { OnlineOnly } from '#app/ui/online-only.tsx';
import { Optional } from '#app/ui/optional.tsx';
import { Segments } from '#app/ui/segments.tsx';

const LoginNote = lazy(() => import('#app/features/accounts/components/login-note.tsx'));

type Tab = 'login' | 'signup';
const PANEL_ID = 'auth-form';
const TABS: readonly { value: Tab; label: string }[] = [
  { value: 'login', label: 'Log In' },
  { value: 'signup', label: 'Sign Up' },
];
const WORDS = {
  login: { title: 'Log In', greeting: 'Welcome back', offline: 'Logging in needs one.' },
  signup: { title: 'Sign Up', greeting: 'Nice to meet you', offline: 'Signing up needs one.' },
};

export default function AuthRoute() {
  const [query] = useSearchParams();
  const referralCode = query.get('ref');
  const wantsSignup = referralCode !== null || query.get('tab') === 'signup';
  const [tab, setTab] = useState<Tab>(wantsSignup ? 'signup' : 'login');
  const session = useSession();
  usePageTitle(WORDS[tab].title);

  const needsLogin = session.status === 'user' && session.needsLogin;
  if (session.status === 'user' && !needsLogin) {
    return <Navigate to={safeNextPath(query.get('next'), location.origin)} replace />;
  }
  return (
    <AuthSheet>
      <h2 className="pb-5 text-title max-md:hidden">{WORDS[tab].greeting}</h2>
      {needsLogin && (
        <Optional>
          <LoginNote />
        </Optional>
      )}
      <OnlineOnly className="mb-4">There is no connection. {WORDS[tab].offline}</OnlineOnly>
      <Segments
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
        aria-label={WORDS[tab].title}
        // Whoever types has read what was wrong.
        onInput={() => dismissTopic('auth')}
      >
        {tab === 'login' ? <LoginForm /> : <SignupForm referralCode={referralCode} />}
      </div>
    </AuthSheet>
  );
}
