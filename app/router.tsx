import { type ComponentType, lazy, Suspense } from 'react';
import { matchPath, Navigate, Route, Routes } from 'react-router-dom';
import { Protected } from '#app/layouts/protected.tsx';
import { Root } from '#app/layouts/root.tsx';
import { Shell } from '#app/layouts/shell.tsx';
import { HomeFallback } from '#app/routes/home-fallback.tsx';
import { PollFallback } from '#app/routes/poll-fallback.tsx';
import { Spinner } from '#app/ui/spinner.tsx';
import { paths } from './paths.ts';

/** A screen in a chunk of its own; the one that the address asks for starts loading at once. */
function screen(pattern: string, load: () => Promise<{ default: ComponentType }>) {
  // A failure is shown where the screen is rendered.
  if (matchPath(pattern, location.pathname) !== null) load().catch(() => undefined);
  return lazy(load);
}

const AuthRoute = screen(paths.auth.pattern, () => import('#app/routes/auth.tsx'));
const HomeRoute = screen(paths.home.pattern, () => import('#app/routes/home.tsx'));
const PollRoute = screen(paths.poll.pattern, () => import('#app/routes/poll.tsx'));
const NotFoundRoute = lazy(() => import('#app/routes/not-found.tsx'));

/** Every screen with its layout, its guard and what stands in its place while it loads. */
export function AppRoutes() {
  return (
    <Routes>
      <Route element={<Root />}>
        <Route
          path={paths.auth.pattern}
          element={
            <Suspense fallback={<Spinner label="Loading" />}>
              <AuthRoute />
            </Suspense>
          }
        />
        <Route element={<Shell />}>
          <Route path={paths.root.pattern} element={<Navigate to={paths.home.href()} replace />} />
          <Route
            path={paths.home.pattern}
            element={
              <Protected fallback={<HomeFallback />}>
                <HomeRoute />
              </Protected>
            }
          />
          <Route
            path={paths.poll.pattern}
            element={
              <Protected fallback={<PollFallback />}>
                <PollRoute />
              </Protected>
            }
          />
          <Route
            path="*"
            element={
              <Suspense fallback={<Spinner label="Loading" />}>
                <NotFoundRoute />
              </Suspense>
            }
          />
        </Route>
      </Route>
    </Routes>
  );
}
