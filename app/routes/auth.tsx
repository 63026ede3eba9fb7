import { useAtomValue } from 'jotai';
import { lazy, Suspense, useState } from 'react';
import { Navigate, useSearchParams } from 'react-router-dom';
import { LoginForm } from '#app/features/auth/components/login-form.tsx';
import { SidePanel } from '#app/features/auth/components/side-panel.tsx';
import { SignupForm } from '#app/features/auth/components/signup-form.tsx';
import { sessionAtom } from '#app/lib/engine.ts';
import { safeNextPath } from '#app/lib/next-path.ts';
import { usePageTitle } from '#app/lib/page-title.ts';
import { Segments } from '#app/ui/segments.tsx';

const LoginNote = lazy(() => import('#app/features/auth/components/login-note.tsx'));

type Tab = 'login' | 'signup';
const PANEL_ID = 'auth-form';
const TABS: readonly { value: Tab; label: string }[] = [
  { value: 'login', label: 'Log In' },
  { value: 'signup', label: 'Sign Up' },
];
const WORDS = {
  login: { title: 'Log In', greeting: 'Welcome back' },
  signup: { title: 'Sign Up', greeting: 'Nice to meet you' },
};

export default function AuthRoute() {
  const [query] = useSearchParams();
  const referralCode = query.get('ref');
  const wantsSignup = referralCode !== null || query.get('tab') === 'signup';
  const [tab, setTab] = useState<Tab>(wantsSignup ? 'signup' : 'login');
  const session = useAtomValue(sessionAtom);
  usePageTitle(WORDS[tab].title);

  const needsLogin = session.status === 'user' && session.needsLogin;
  if (session.status === 'user' && !needsLogin) {
    return <Navigate to={safeNextPath(query.get('next'), location.origin)} replace />;
  }
  return (
    <div className="min-h-dvh md:grid md:grid-cols-[minmax(0,12fr)_minmax(0,13fr)]">
      <SidePanel />
      <main
        id="main"
        tabIndex={-1}
        className="relative rounded-t-card bg-base-100 px-5 pt-4 pb-8 max-md:-mt-6 max-md:min-h-[calc(100dvh-14rem)] md:grid md:content-center md:rounded-none md:bg-base-200 md:px-8"
      >
        <div className="mx-auto w-full max-w-96">
          <h2 className="pb-5 text-title max-md:hidden">{WORDS[tab].greeting}</h2>
          {needsLogin && (
            <Suspense>
              <LoginNote />
            </Suspense>
          )}
          <Segments
            label="Log in or sign up"
            value={tab}
            segments={TABS}
            onChange={(next) => setTab(next)}
            panelId={PANEL_ID}
            className="in-sheet mb-5"
          />
          <div id={PANEL_ID} role="tabpanel" aria-label={WORDS[tab].title}>
            {tab === 'login' ? <LoginForm /> : <SignupForm referralCode={referralCode} />}
          </div>
        </div>
      </main>
    </div>
  );
}
