import { renderToString } from 'react-dom/server';
import { StaticRouter } from 'react-router-dom';
import { AppErrorBoundary } from '#app/layouts/error-boundaries.tsx';
import type { PrerenderedPage } from '#shared/service/rules.ts';
import { paths } from './paths.ts';
import { AppRoutes, loadScreen } from './router.tsx';

/** What a prerendered page contains, and its title. */
export type Rendered = { title: string; markup: string };

const PAGES: Record<PrerenderedPage, { address: string; title: string }> = {
  auth: { address: paths.auth.href(), title: 'Log In · This or That?' },
  'auth-signup': { address: paths.auth.href({ tab: 'signup' }), title: 'Sign Up · This or That?' },
  home: { address: paths.home.href(), title: 'Polls · This or That?' },
};

/** Renders the pages as they look before the session is known: the same tree as in main.tsx, which hydrates it. */
export async function renderPages(): Promise<Record<string, Rendered>> {
  await loadScreen(paths.auth.pattern);
  return Object.fromEntries(
    Object.entries(PAGES).map(([page, { address, title }]) => {
      const markup = renderToString(
        <AppErrorBoundary>
          <StaticRouter location={address}>
            <AppRoutes />
          </StaticRouter>
        </AppErrorBoundary>,
      );
      return [page, { title, markup }];
    }),
  );
}
