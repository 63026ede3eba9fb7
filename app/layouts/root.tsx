import { lazy, useEffect, useRef } from 'react';
import { NavigationType, Outlet, useLocation, useNavigationType } from 'react-router-dom';
import { afterLoad } from '#app/lib/after-load.ts';
import { onEngineEvent } from '#app/lib/engine/engine.ts';
import { focusMain } from '#app/lib/focus-main.ts';
import { paths } from '#app/paths.ts';
import { BottomStack } from '#app/ui/bottom-stack.tsx';
import { Optional } from '#app/ui/optional.tsx';
import { ToastRegion } from '#app/ui/toast-region.tsx';
import type { EngineEvent } from '#sync/client/types.ts';
import { Flights } from './flights.tsx';
import { ScreenBoundary } from './screen-error.tsx';
import { UpdatePrompt } from './update-prompt.tsx';

// Nobody needs it in the first instant, but it must be there before the network goes; so must its chip.
const ConnectionCard = lazy(async () => {
  await afterLoad;
  const [card] = await Promise.all([
    import('#app/features/connection/components/connection-card.tsx'),
    import('#app/features/connection/components/connection-chip.tsx'),
  ]);
  return card;
});

/** What is there on every screen: toasts, the flying points, the update prompt; and where focus goes. */
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
        <ConnectionCard />
      </Optional>
      <BottomStack layer={pathname === paths.auth.href() ? 'top' : 'toasts'}>
        <ToastRegion />
        <UpdatePrompt />
      </BottomStack>
      <Flights />
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
