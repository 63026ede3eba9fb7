import { type ComponentType, lazy, type ReactNode, Suspense, useState } from 'react';
import { matchPath, Navigate, Route, Routes, useSearchParams } from 'react-router-dom';
import { PollDetailSkeleton } from '#app/features/polls/components/skeletons.tsx';
import { Protected } from '#app/layouts/protected.tsx';
import { Root } from '#app/layouts/root.tsx';
import { Shell } from '#app/layouts/shell.tsx';
import { HomeFallback } from '#app/routes/polls/home-bar.tsx';
import { PageSpinner } from '#app/ui/icon.tsx';
import { paths } from './paths.ts';

/** Defines a lazily loaded screen: the component that a module exports as `name`. */
function defineScreen<Name extends string = 'default'>(
  patterns: readonly string[],
  load: () => Promise<Record<Name, ComponentType>>,
  name = 'default' as Name,
) {
  let LoadedScreen: ComponentType | null = null;
  async function loadComponent() {
    LoadedScreen = (await load())[name];
    return { default: LoadedScreen };
  }
  const LazyScreen = lazy(loadComponent);
  // Does not suspend once its code has loaded, so that prerendering and hydration render it synchronously.
  function Screen() {
    const [Current] = useState(() => LoadedScreen ?? LazyScreen);
    return <Current />;
  }
  /** Once loaded, the screen has no Suspense boundary, in which prerendered markup would be hydrated 300 ms later. */
  function PublicScreen() {
    const [isLoaded] = useState(() => LoadedScreen !== null);
    return isLoaded ? (
      <Screen />
    ) : (
      <Suspense fallback={LOADING}>
        <Screen />
      </Suspense>
    );
  }
  return { patterns, load: loadComponent, Screen, PublicScreen };
}

const loadMailLinks = () => import('#app/routes/account/mail-links.tsx');
const loadAdmin = () => import('#app/routes/admin.tsx');

const LOADING = <PageSpinner />;
const PUBLIC_SCREENS = [
  defineScreen([paths.auth.pattern], () => import('#app/routes/account/auth.tsx')),
  defineScreen([paths.share.pattern], () => import('#app/routes/polls/share.tsx')),
  defineScreen([paths.verifyEmail.pattern], loadMailLinks, 'VerifyEmailRoute'),
  defineScreen([paths.resetPassword.pattern], loadMailLinks, 'ResetPasswordRoute'),
  defineScreen([paths.undoEmailChange.pattern], loadMailLinks, 'UndoEmailChangeRoute'),
  defineScreen([paths.undoPasskeys.pattern], loadMailLinks, 'UndoPasskeysRoute'),
  defineScreen([paths.unsubscribe.pattern], loadMailLinks, 'UnsubscribeRoute'),
];
/** Public screens with the header and the navigation. */
const PUBLIC_SCREENS_IN_SHELL = [
  defineScreen([paths.rules.pattern], () => import('#app/routes/rules.tsx')),
  defineScreen(['*'], () => import('#app/routes/not-found.tsx'), 'NotFoundRoute'),
];

/** A screen with its patterns, and the props of `Protected` for a screen that is not public. */
type ScreenRoute = ReturnType<typeof defineScreen> & { fallback?: ReactNode; allowsEndedSession?: boolean };

const PROTECTED_SCREENS: readonly ScreenRoute[] = [
  defineScreen([paths.root.pattern, paths.points.pattern], () => import('#app/routes/account/points.tsx')),
  {
    ...defineScreen([paths.home.pattern], () => import('#app/routes/polls/home.tsx')),
    fallback: <HomeFallback />,
  },
  {
    ...defineScreen([paths.poll.pattern], () => import('#app/routes/polls/poll.tsx')),
    fallback: <PollDetailSkeleton />,
  },
  defineScreen([paths.explore.pattern], () => import('#app/routes/polls/explore.tsx')),
  defineScreen([paths.referrals.pattern], () => import('#app/routes/account/referrals.tsx')),
  defineScreen([paths.profile.pattern], () => import('#app/routes/account/profile.tsx')),
  defineScreen([paths.myPolls.pattern], () => import('#app/routes/polls/my-polls.tsx')),
  defineScreen([paths.settings.pattern], () => import('#app/routes/account/settings.tsx')),
  defineScreen([paths.notifications.pattern], () => import('#app/routes/account/notifications.tsx')),
  defineScreen([paths.admin.pattern, paths.adminPanel.pattern], loadAdmin, 'AdminRoute'),
  defineScreen([paths.adminSimple.pattern], loadAdmin, 'AdminSimpleRoute'),
  defineScreen([paths.diagnostic.pattern], () => import('#app/routes/diagnostic.tsx')),
  {
    ...defineScreen([paths.outbox.pattern], () => import('#app/routes/outbox.tsx')),
    allowsEndedSession: true,
  },
];

/** Loads the screen of an address, except the rules and the 404 screen. An error is handled where the screen is rendered. */
export async function loadScreen(pathname: string): Promise<void> {
  const screens = [...PUBLIC_SCREENS, ...PROTECTED_SCREENS];
  const screen = screens.find(({ patterns }) =>
    patterns.some((pattern) => matchPath(pattern, pathname) !== null),
  );
  await screen?.load().catch(() => undefined);
}

function routesOf(screens: readonly ScreenRoute[], render: (screen: ScreenRoute) => ReactNode) {
  return screens.flatMap((screen) =>
    screen.patterns.map((pattern) => <Route key={pattern} path={pattern} element={render(screen)} />),
  );
}

function renderPublic({ PublicScreen }: ScreenRoute) {
  return <PublicScreen />;
}

function renderProtected({ Screen, fallback = LOADING, allowsEndedSession = false }: ScreenRoute) {
  return (
    <Protected fallback={fallback} allowsEndedSession={allowsEndedSession}>
      <Screen />
    </Protected>
  );
}

export function AppRoutes() {
  return (
    <Routes>
      <Route element={<Root />}>
        {routesOf(PUBLIC_SCREENS, renderPublic)}
        <Route path={paths.signup.pattern} element={<SignupRoute />} />
        <Route element={<Shell />}>
          {routesOf(PROTECTED_SCREENS, renderProtected)}
          {routesOf(PUBLIC_SCREENS_IN_SHELL, renderPublic)}
        </Route>
      </Route>
    </Routes>
  );
}

/** The target of older referral links. */
function SignupRoute() {
  const [query] = useSearchParams();
  return <Navigate to={paths.auth.href({ tab: 'signup', ref: query.get('ref') ?? undefined })} replace />;
}
