import { matchPath, Outlet, useLocation, useMatch } from 'react-router-dom';
import { useSession } from '#app/lib/engine/session.ts';
import { paths } from '#app/paths.ts';
import { ScreenErrorBoundary } from './error-boundaries.tsx';
import { Header } from './header.tsx';
import { BottomNav } from './navigation.tsx';

/** Screens with their title and a Back button in the header on a phone. */
const TITLES = [
  { pattern: paths.outbox.pattern, title: 'Outbox' },
  { pattern: paths.settings.pattern, title: 'Settings' },
  { pattern: paths.notifications.pattern, title: 'Notifications' },
  { pattern: paths.diagnostic.pattern, title: 'Diagnostic' },
];

export function Shell() {
  const { pathname } = useLocation();
  const isPollScreen = useMatch(paths.poll.pattern) !== null;
  const title = TITLES.find(({ pattern }) => matchPath(pattern, pathname) !== null)?.title;
  const isVisitor = useSession().status === 'visitor';
  return (
    <>
      <a href="#main" className="btn btn-primary -translate-y-20 fixed top-2 left-2 z-20 focus:translate-y-0">
        Skip to content
      </a>
      <Header isPollScreen={isPollScreen} title={title} />
      <main
        id="main"
        tabIndex={-1}
        className="mx-auto w-full max-w-[73.5rem] px-3 pb-[calc(var(--nav-height,0px)+1.25rem+env(safe-area-inset-bottom))]"
      >
        <ScreenErrorBoundary>
          <Outlet />
        </ScreenErrorBoundary>
      </main>
      {!isPollScreen && !isVisitor && <BottomNav />}
    </>
  );
}
