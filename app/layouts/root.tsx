import { lazy, useEffect, useRef } from 'react';
import { NavigationType, Outlet, useLocation, useNavigationType } from 'react-router-dom';
import { trackEvent } from '#app/lib/analytics/track-event.ts';
import { afterLoad } from '#app/lib/browser/after-load.ts';
import { onEngineEvent } from '#app/lib/engine/engine.ts';
import { focusMain } from '#app/lib/navigation/focus-main.ts';
import { LazyBoundary } from '#app/ui/lazy-boundary.tsx';
import type { EngineEvent } from '#sync/client/emitter.ts';
import { ScreenErrorBoundary } from './error-boundaries.tsx';
import { loadConnectionChip } from './header.tsx';

// Not needed for the first paint, but loaded soon after it, because both must work offline.
const Notices = lazy(async () => {
  await afterLoad;
  const [notices] = await Promise.all([import('./notices.tsx'), loadConnectionChip()]);
  return notices;
});

/** The parts that all screens share: error boundary, notices, focus handling and page views. */
export function Root() {
  useEffect(() => onEngineEvent(announce), []);
  const { pathname } = useLocation();
  useScrollAndFocusReset(pathname);
  useEffect(() => trackEvent({ name: 'pageview', path: pathname }), [pathname]);
  return (
    <>
      <ScreenErrorBoundary>
        <Outlet />
      </ScreenErrorBoundary>
      <LazyBoundary>
        <Notices />
      </LazyBoundary>
    </>
  );
}

/** Announces the outcome of a change. The code is loaded on demand, since the first paint does not need it. */
function announce(event: EngineEvent): void {
  import('#app/features/polls/actions.ts')
    .then(({ announceOutcome }) => announceOutcome(event))
    .catch(() => undefined);
}

/**
 * A new screen starts with the focus on its content, and at the top unless the user went back: `useScrollRestoration` then
 * restores the position.
 */
function useScrollAndFocusReset(pathname: string): void {
  const navigation = useNavigationType();
  const shownPathname = useRef(pathname);
  useEffect(() => {
    if (shownPathname.current === pathname) return;
    shownPathname.current = pathname;
    if (navigation !== NavigationType.Pop) window.scrollTo(0, 0);
    focusMain();
  }, [pathname, navigation]);
}
