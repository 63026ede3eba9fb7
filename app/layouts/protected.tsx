import { useAtomValue } from 'jotai';
import { type ReactNode, Suspense } from 'react';
import { Navigate, useLocation } from 'react-router-dom';
import { engineFailedAtom, hasLoggedOutAtom, startEngine } from '#app/lib/engine/engine.ts';
import { useSession } from '#app/lib/engine/session.ts';
import { paths } from '#app/paths.ts';
import { Key } from '#app/ui/button.tsx';

type Props = {
  fallback: ReactNode;
  /** Shows what is on the device also after the session has ended. */
  isOpenToEndedSession?: boolean;
  children: ReactNode;
};

/** A screen for signed-in users. Visitors go to /auth and, once they have logged in, come back; after a log out not. */
export function Protected({ fallback, isOpenToEndedSession = false, children }: Props) {
  const session = useSession();
  const hasLoggedOut = useAtomValue(hasLoggedOutAtom);
  const hasFailed = useAtomValue(engineFailedAtom);
  const { pathname, search, hash } = useLocation();

  if (hasFailed) return <StartFailed />;
  if (session.status === 'storage_blocked') return <StorageBlocked />;
  if (session.status === 'loading') return fallback;
  if (session.status === 'visitor' || (session.needsLogin && !isOpenToEndedSession)) {
    const query = hasLoggedOut ? {} : { next: `${pathname}${search}${hash}` };
    return <Navigate to={paths.auth.href(query)} replace />;
  }
  return <Suspense fallback={fallback}>{children}</Suspense>;
}

function StartFailed() {
  return (
    <Trouble title="That did not start">
      <p className="text-field text-muted">
        A part of the app could not be loaded. Nothing of yours is lost.
      </p>
      <Key onClick={startEngine}>Try Again</Key>
    </Trouble>
  );
}

function StorageBlocked() {
  return (
    <Trouble title="Close the other tabs">
      <p className="text-field text-muted">
        Another tab of this app keeps your data from being opened, perhaps one of an older version. Close it,
        and this one goes on by itself.
      </p>
      <Key onClick={() => location.reload()}>Try Again</Key>
    </Trouble>
  );
}

function Trouble({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section role="alert" className="mx-auto grid max-w-72 gap-3 pt-24 text-center">
      <h1 className="text-title">{title}</h1>
      {children}
    </section>
  );
}
