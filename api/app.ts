import { Hono } from 'hono';
import { LIVE_PATH } from '#shared/live/constants.ts';
import type { AppEnv } from './app-env.ts';
import type { Deps } from './deps.ts';
import { AppError } from './errors.ts';
import { adminRoutes } from './features/admin/routes.ts';
import { authRoutes } from './features/auth/routes.ts';
import { docsRoutes } from './features/docs/routes.ts';
import { liveRoutes } from './features/live/routes.ts';
import { pollRoutes } from './features/polls/routes.ts';
import { answerError } from './http-error.ts';
import { analyticsRoutes } from './middleware/analytics.ts';
import { clientAddress } from './middleware/client-address.ts';
import { endConnections } from './middleware/end-connections.ts';
import { generalLimit } from './middleware/general-limit.ts';
import { healthRoutes } from './middleware/health.ts';
import { echoKey } from './middleware/idempotency.ts';
import { noStore } from './middleware/no-store.ts';
import { requestLog } from './middleware/request-log.ts';
import { sameOrigin } from './middleware/same-origin.ts';
import { securityHeaders } from './middleware/security-headers.ts';
import { expectedActor, requireAdmin, session } from './middleware/session.ts';
import { type StaticFiles, staticFiles } from './middleware/static-files.ts';
import { uploadRoutes } from './middleware/uploads.ts';

export type App = Hono<AppEnv>;

/** The whole HTTP application: middleware and mounts. `files` is the built client, when there is one. */
export function createApp(deps: Deps, files: StaticFiles | null = null): App {
  const api = new Hono<AppEnv>()
    .use(noStore, echoKey)
    .route('/', healthRoutes(deps))
    .route('/', analyticsRoutes(deps))
    .use(sameOrigin(deps.env.origins), session(deps), generalLimit(deps.limits), expectedActor)
    // Before whatever is mounted below it, and for addresses that nothing is at.
    .use('/admin/*', requireAdmin)
    .route('/', authRoutes(deps))
    .route('/', pollRoutes(deps))
    .route('/', adminRoutes(deps))
    .route('/', docsRoutes(deps))
    .all('*', () => {
      throw new AppError('unknown_endpoint');
    });

  const app = new Hono<AppEnv>();
  app.onError(answerError);
  app.use(
    requestLog(deps.log),
    endConnections(deps.lifecycle),
    securityHeaders(deps.env),
    clientAddress(deps.env.trustProxy),
  );
  app.route('/api', api);
  app.route('/uploads', uploadRoutes(deps));
  app.route(LIVE_PATH, liveRoutes(deps));
  if (files !== null) app.use(staticFiles(files));
  app.notFound((c) => answerError(new AppError('not_found'), c));
  return app;
}
