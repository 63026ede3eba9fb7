import { type ComponentType, lazy, type ReactNode, Suspense, useState } from 'react';
import { matchPath, Navigate, Route, Routes, useSearchParams } from 'react-router-dom';
import { PollDetailSkeleton } from '#app/features/polls/components/skeletons.tsx';
import { Protected } from '#app/layouts/protected.tsx';
import { Root } from '#app/layouts/root.tsx';
import { Shell } from '#app/layouts/shell.tsx';
import { PageSpinner } from '#app/ui/icon.tsx';
import { paths } from './paths.ts';
import { HomeFallback } from './routes/polls/home-bar.tsx';

/** A lazily loaded screen: the component that a module exports as `name`. */
function screen<Name extends string = 'default'>(
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

const loadMailLinks = () => import('./routes/account/mail-links.tsx');
const loadAdmin = () => import('#app/routes/admin.tsx');

const LOADING = <PageSpinner />;
const PUBLIC_SCREENS = [
  screen([paths.auth.pattern], () => import('./routes/account/auth.tsx')),
  screen([paths.share.pattern], () => import('./routes/polls/share.tsx')),
  screen([paths.verifyEmail.pattern], loadMailLinks, 'VerifyEmailRoute'),
  screen([paths.resetPassword.pattern], loadMailLinks, 'ResetPasswordRoute'),
  screen([paths.undoEmailChange.pattern], loadMailLinks, 'UndoEmailChangeRoute'),
  screen([paths.undoPasskeys.pattern], loadMailLinks, 'UndoPasskeysRoute'),
  screen([paths.unsubscribe.pattern], loadMailLinks, 'UnsubscribeRoute'),
];
/** Public screens with the header and the navigation. */
const PUBLIC_SCREENS_IN_SHELL = [
  screen([paths.rules.pattern], () => import('#app/routes/rules.tsx')),
  screen(['*'], () => import('#app/routes/not-found.tsx'), 'NotFoundRoute'),
];

/** A screen with its patterns, and the props of `Protected` for a screen that is not public. */
type ScreenRoute = ReturnType<typeof screen> & { fallback?: ReactNode; allowsEndedSession?: boolean };

const PROTECTED_SCREENS: readonly ScreenRoute[] = [
  screen([paths.root.pattern, paths.points.pattern], () => import('./routes/account/points.tsx')),
  { ...screen([paths.home.pattern], () => import('./routes/polls/home.tsx')), fallback: <HomeFallback /> },
  {
    ...screen([paths.poll.pattern], () => import('./routes/polls/poll.tsx')),
    fallback: <PollDetailSkeleton />,
  },
  screen([paths.explore.pattern], () => import('./routes/polls/explore.tsx')),
  screen([paths.referrals.pattern], () => import('./routes/account/referrals.tsx')),
  screen([paths.profile.pattern], () => import('./routes/account/profile.tsx')),
  screen([paths.myPolls.pattern], () => import('./routes/polls/my-polls.tsx')),
  screen([paths.settings.pattern], () => import('./routes/account/settings.tsx')),
  screen([paths.notifications.pattern], () => import('./routes/account/notifications.tsx')),
  screen([paths.admin.pattern, paths.adminPanel.pattern], loadAdmin, 'AdminRoute'),
  screen([paths.adminSimple.pattern], loadAdmin, 'AdminSimpleRoute'),
  screen([paths.diagnostic.pattern], () => import('#app/routes/diagnostic.tsx')),
  { ...screen([paths.outbox.pattern], () => import('#app/routes/outbox.tsx')), allowsEndedSession: true },
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
