import { useAtomValue } from 'jotai';
import { type ReactNode, Suspense } from 'react';
import { Navigate, useLocation } from 'react-router-dom';
import { engineFailedAtom, hasLoggedOutAtom, startEngine } from '#app/lib/engine/engine.ts';
import { useSession } from '#app/lib/engine/session.ts';
import { paths } from '#app/paths.ts';
import { PrimaryButton } from '#app/ui/button.tsx';
import { MessageScreen } from '#app/ui/feedback/message-screen.tsx';

type Props = {
  fallback: ReactNode;
  /** Whether the screen remains usable, with the data on the device, after the session has ended. */
  allowsEndedSession?: boolean;
  children: ReactNode;
};

/** Redirects visitors, and users whose session has ended, to /auth, which leads back after the login unless they logged out. */
export function Protected({ fallback, allowsEndedSession = false, children }: Props) {
  const session = useSession();
  const hasLoggedOut = useAtomValue(hasLoggedOutAtom);
  const hasFailed = useAtomValue(engineFailedAtom);
  const { pathname, search, hash } = useLocation();

  if (hasFailed) {
    return (
      <MessageScreen
        title="The app did not start"
        text="Part of the app could not be loaded. None of your data is lost."
      >
        <PrimaryButton onClick={startEngine}>Try Again</PrimaryButton>
      </MessageScreen>
    );
  }
  if (session.status === 'storage_blocked') {
    return (
      <MessageScreen
        title="Close the other tabs"
        text="Another tab, perhaps with an older version of this app, is blocking your data. Close it to continue here."
      >
        <PrimaryButton onClick={() => location.reload()}>Try Again</PrimaryButton>
      </MessageScreen>
    );
  }
  if (session.status === 'loading') return fallback;
  if (session.status === 'visitor' || (session.needsLogin && !allowsEndedSession)) {
    const query = hasLoggedOut ? {} : { next: `${pathname}${search}${hash}` };
    return <Navigate to={paths.auth.href(query)} replace />;
  }
  // The key: if another user logs in, nothing that this user has entered remains on the screen.
  return (
    <Suspense key={session.user.id} fallback={fallback}>
      {children}
    </Suspense>
  );
}
