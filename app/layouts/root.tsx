import { lazy, useEffect, useRef } from 'react';
import { NavigationType, Outlet, useLocation, useNavigationType } from 'react-router-dom';
import { afterLoad } from '#app/lib/after-load.ts';
import { onEngineEvent } from '#app/lib/engine/engine.ts';
import { focusMain } from '#app/lib/focus-main.ts';
import { Optional } from '#app/ui/optional.tsx';
import type { EngineEvent } from '#sync/client/types.ts';
import { ScreenBoundary } from './screen-error.tsx';

// Nobody needs them in the first instant, but they must be there before the network goes; so must the connection's chip.
const Notices = lazy(async () => {
  await afterLoad;
  const [notices] = await Promise.all([
    import('./notices.tsx'),
    import('#app/features/connection/components/connection-chip.tsx'),
  ]);
  return notices;
});

/** What every screen has: its boundary for errors, the notices, and where focus goes. */
export function Root() {
  useEffect(() => onEngineEvent(announce), []);
  const { pathname } = useLocation();
  useArrival(pathname);
  return (
    <>
      <ScreenBoundary>
        <Outlet />
      </ScreenBoundary>
      <Optional>
        <Notices />
      </Optional>
    </>
  );
}

/** The words for outcomes come with whichever screen could have caused one. */
function announce(event: EngineEvent): void {
  import('#app/features/polls/actions.ts')
    .then(({ announceOutcome }) => announceOutcome(event))
    .catch(() => undefined);
}

/** A new screen starts at its top with the focus on its content; going back keeps its own place. */
function useArrival(pathname: string): void {
  const navigation = useNavigationType();
  const shown = useRef(pathname);
  useEffect(() => {
    if (shown.current === pathname) return;
    shown.current = pathname;
    if (navigation !== NavigationType.Pop) window.scrollTo(0, 0);
    focusMain();
  }, [pathname, navigation]);
}
