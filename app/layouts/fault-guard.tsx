import { useAtomValue } from 'jotai';
import { lazy, type ReactNode, Suspense } from 'react';
import { ErrorBoundary } from 'react-error-boundary';
import { afterLoad } from '#app/lib/after-load.ts';
import { faultAtom, faultsPutAwayAtom, putFaultAway, showFault } from '#app/lib/faults/faults.ts';

// Loaded before anything breaks: then the network may be gone as well.
const loadScreen = afterLoad.then(() => import('./application-error.tsx'));
loadScreen.catch(() => undefined);
const ApplicationError = lazy(() => loadScreen);

/** The app, and above it the application-error screen; what was on the screen stays for Try Again. */
export function FaultGuard({ children }: { children: ReactNode }) {
  const fault = useAtomValue(faultAtom);
  const putAway = useAtomValue(faultsPutAwayAtom);
  return (
    <>
      <ErrorBoundary fallback={null} onError={showFault} resetKeys={[putAway]}>
        {children}
      </ErrorBoundary>
      {fault !== 'none' && (
        <ErrorBoundary fallback={null}>
          <Suspense>
            <ApplicationError isCounting={fault === 'counting'} onTryAgain={putFaultAway} />
          </Suspense>
        </ErrorBoundary>
      )}
    </>
  );
}
