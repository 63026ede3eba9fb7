import { type ComponentType, lazy, type ReactNode, Suspense } from 'react';
import { matchPath, Route, Routes } from 'react-router-dom';
import { PollDetailSkeleton } from '#app/features/polls/components/poll-detail-skeleton.tsx';
import { Protected } from '#app/layouts/protected.tsx';
import { Root } from '#app/layouts/root.tsx';
import { Shell } from '#app/layouts/shell.tsx';
import { HomeFallback } from '#app/routes/home-bar.tsx';
import { SignupRoute } from '#app/routes/signup.tsx';
import { Spinner } from '#app/ui/spinner.tsx';
import { paths } from './paths.ts';

/** A screen in a chunk of its own; the one that the address asks for starts loading at once. */
function screen(patterns: readonly string[], load: () => Promise<{ default: ComponentType }>) {
  // A failure is shown where the screen is rendered.
  if (patterns.some((pattern) => matchPath(pattern, location.pathname) !== null)) {
    load().catch(() => undefined);
  }
  return { patterns, Screen: lazy(load) };
}

const LOADING = <Spinner label="Loading" />;
const PUBLIC = [
  screen([paths.auth.pattern], () => import('#app/routes/auth.tsx')),
  screen([paths.verifyEmail.pattern], () => import('#app/routes/verify-email.tsx')),
  screen([paths.resetPassword.pattern], () => import('#app/routes/reset-password.tsx')),
];
const NotFoundRoute = lazy(() => import('#app/routes/not-found.tsx'));

type ProtectedScreen = ReturnType<typeof screen> & { fallback?: ReactNode; isOpenToEndedSession?: true };

const PROTECTED: readonly ProtectedScreen[] = [
  screen([paths.root.pattern, paths.points.pattern], () => import('#app/routes/points.tsx')),
  {
    ...screen([paths.home.pattern], () => import('#app/routes/home.tsx')),
    fallback: <HomeFallback />,
  },
  {
    ...screen([paths.poll.pattern], () => import('#app/routes/poll.tsx')),
    fallback: <PollDetailSkeleton />,
  },
  screen([paths.explore.pattern], () => import('#app/routes/explore.tsx')),
  screen([paths.referrals.pattern], () => import('#app/routes/referrals.tsx')),
  screen([paths.profile.pattern], () => import('#app/routes/profile.tsx')),
  screen([paths.myPolls.pattern], () => import('#app/routes/my-polls.tsx')),
  screen([paths.settings.pattern], () => import('#app/routes/settings.tsx')),
  screen([paths.notifications.pattern], () => import('#app/routes/notifications.tsx')),
  screen([paths.admin.pattern, paths.adminPanel.pattern], () => import('#app/routes/admin.tsx')),
  screen([paths.adminSimple.pattern], () => import('#app/routes/admin-simple.tsx')),
  screen([paths.diagnostic.pattern], () => import('#app/routes/diagnostic.tsx')),
  {
    ...screen([paths.outbox.pattern], () => import('#app/routes/outbox.tsx')),
    isOpenToEndedSession: true,
  },
];

/** Every screen with its layout, its guard and what stands in its place while it loads. */
export function AppRoutes() {
  return (
    <Routes>
      <Route element={<Root />}>
        {PUBLIC.flatMap(({ patterns, Screen }) =>
          patterns.map((pattern) => (
            <Route
              key={pattern}
              path={pattern}
              element={
                <Suspense fallback={LOADING}>
                  <Screen />
                </Suspense>
              }
            />
          )),
        )}
        <Route path={paths.signup.pattern} element={<SignupRoute />} />
        <Route element={<Shell />}>
          {PROTECTED.flatMap(({ patterns, Screen, fallback = LOADING, isOpenToEndedSession = false }) =>
            patterns.map((pattern) => (
              <Route
                key={pattern}
                path={pattern}
                element={
                  <Protected fallback={fallback} isOpenToEndedSession={isOpenToEndedSession}>
                    <Screen />
                  </Protected>
                }
              />
            )),
          )}
          <Route
            path="*"
            element={
              <Suspense fallback={LOADING}>
                <NotFoundRoute />
              </Suspense>
            }
          />
        </Route>
      </Route>
    </Routes>
  );
}
