import { lazy, Suspense, useEffect, useRef } from 'react';
import { ErrorBoundary } from 'react-error-boundary';
import { NavigationType, Outlet, useLocation, useNavigationType } from 'react-router-dom';
import { announceOutcome } from '#app/features/polls/actions.ts';
import { onEngineEvent } from '#app/lib/engine.ts';
import { BottomStack } from '#app/ui/bottom-stack.tsx';
import { ToastRegion } from '#app/ui/toast-region.tsx';
import { Flights } from './flights.tsx';
import { ScreenError } from './screen-error.tsx';
import { UpdatePrompt } from './update-prompt.tsx';

// It reads the outbox, whose code loads beside the first paint; loaded at once, it is there when the network goes.
const ConnectionCard = lazy(() => import('#app/features/connection/components/connection-card.tsx'));

/** What is there on every screen: toasts, the flying points, the update prompt; and where focus goes. */
export function Root() {
  useEffect(() => onEngineEvent(announceOutcome), []);
  const { pathname } = useLocation();
  useArrival(pathname);
  return (
    <>
      <ErrorBoundary FallbackComponent={ScreenError} resetKeys={[pathname]}>
        <Outlet />
      </ErrorBoundary>
      <ErrorBoundary fallback={null}>
        <Suspense>
          <ConnectionCard />
        </Suspense>
      </ErrorBoundary>
      <BottomStack>
        <ToastRegion />
        <UpdatePrompt />
      </BottomStack>
      <Flights />
    </>
  );
}

/** A new screen starts at its top with the focus on its content; going back keeps its own place. */
function useArrival(pathname: string): void {
  const navigation = useNavigationType();
  const shown = useRef(pathname);
  useEffect(() => {
    if (shown.current === pathname) return;
    shown.current = pathname;
    if (navigation !== NavigationType.Pop) window.scrollTo(0, 0);
    document.getElementById('main')?.focus({ preventScroll: true });
  }, [pathname, navigation]);
}
