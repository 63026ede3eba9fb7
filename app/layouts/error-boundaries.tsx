import { useAtomValue } from 'jotai';
import { lazy, type ReactNode } from 'react';
import { ErrorBoundary, type FallbackProps } from 'react-error-boundary';
import { Link, useLocation } from 'react-router-dom';
import { afterLoad } from '#app/lib/browser/after-load.ts';
import { connectionState, engineState, isUnreachable } from '#app/lib/engine/engine.ts';
import { isChunkLoadError } from '#app/lib/faults/chunk-load-error.ts';
import { dismissFault, faultAtom, faultDismissalsAtom, showFault } from '#app/lib/faults/faults.ts';
import { paths } from '#app/paths.ts';
import { PrimaryButton, SecondaryButton } from '#app/ui/button.tsx';
import { MessageScreen } from '#app/ui/feedback/message-screen.tsx';
import { LazyBoundary } from '#app/ui/lazy-boundary.tsx';

// Preloaded, because the browser may be offline when something breaks.
const applicationError = afterLoad.then(() => import('./application-error.tsx'));
applicationError.catch(() => undefined);
const ApplicationError = lazy(() => applicationError);

/** Shows the application-error screen over the whole app after a fault. Try Again renders the app again. */
export function AppErrorBoundary({ children }: { children: ReactNode }) {
  const fault = useAtomValue(faultAtom);
  const dismissalCount = useAtomValue(faultDismissalsAtom);
  return (
    <>
      <ErrorBoundary fallback={null} onError={showFault} resetKeys={[dismissalCount]}>
        {children}
      </ErrorBoundary>
      {fault !== 'none' && (
        <LazyBoundary>
          <ApplicationError isCountingDown={fault === 'countdown'} onTryAgain={dismissFault} />
        </LazyBoundary>
      )}
    </>
  );
}

/** Shows an error in place of `children`; the rest of the page remains usable. Navigating, or Try Again, renders them again. */
export function ScreenErrorBoundary({ children }: { children: ReactNode }) {
  const { pathname } = useLocation();
  const dismissalCount = useAtomValue(faultDismissalsAtom);
  return (
    <ErrorBoundary FallbackComponent={ScreenError} resetKeys={[pathname, dismissalCount]}>
      {children}
    </ErrorBoundary>
  );
}

function ScreenError({ error, resetErrorBoundary }: FallbackProps) {
  const isLoadError = isChunkLoadError(error);
  function tryAgain() {
    if (!isLoadError) resetErrorBoundary();
    // The browser's own error page would replace the app if it cannot be loaded again.
    else if (isUnreachable(connectionState.get())) engineState.get()?.tryConnection();
    else location.reload();
  }
  return (
    <MessageScreen
      title={isLoadError ? 'Not on this device yet' : 'Something broke here'}
      text={
        isLoadError
          ? 'The first time, this screen needs a connection to the server.'
          : 'Your votes and drafts are safe.'
      }
    >
      <PrimaryButton onClick={tryAgain}>Try Again</PrimaryButton>
      <SecondaryButton onClick={() => location.reload()}>Reload Now</SecondaryButton>
      <Link to={paths.root.href()} className="py-3 font-semibold text-body underline">
        Return to the app
      </Link>
    </MessageScreen>
  );
}
