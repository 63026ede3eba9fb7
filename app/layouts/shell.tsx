import { matchPath, Outlet, useLocation, useMatch } from 'react-router-dom';
import { useSession } from '#app/lib/engine/session.ts';
import { paths } from '#app/paths.ts';
import { BottomNav } from './bottom-nav.tsx';
import { Header } from './header.tsx';
import { ScreenBoundary } from './screen-error.tsx';

/** Screens that have on a phone their title and the way back in the header. */
const TITLES = [
  { pattern: paths.outbox.pattern, title: 'Outbox' },
  { pattern: paths.settings.pattern, title: 'Settings' },
  { pattern: paths.diagnostic.pattern, title: 'Diagnostic' },
];

/** Header, screen and bottom nav. A screen that breaks leaves the rest usable. */
export function Shell() {
  const { pathname } = useLocation();
  const isPoll = useMatch(paths.poll.pattern) !== null;
  const title = TITLES.find(({ pattern }) => matchPath(pattern, pathname) !== null)?.title;
  const isVisitor = useSession().status === 'visitor';
  return (
    <>
      <a href="#main" className="key key-primary -translate-y-20 fixed top-2 left-2 z-20 focus:translate-y-0">
        Skip to content
      </a>
      <Header isPoll={isPoll} title={title} />
      <main
        id="main"
        tabIndex={-1}
        className="mx-auto w-full max-w-[73.5rem] px-3 pb-[calc(var(--nav-height,0px)+1.25rem+env(safe-area-inset-bottom))]"
      >
        <ScreenBoundary>
          <Outlet />
        </ScreenBoundary>
      </main>
      {!isPoll && !isVisitor && <BottomNav />}
    </>
  );
}
