import { Hono } from 'hono';
import { authRoutes } from '#api/accounts/routes.ts';
import { adminRoutes } from '#api/admin/routes.ts';
import { docsRoutes } from '#api/docs/routes.ts';
import type { AppEnv } from '#api/http/app-env.ts';
import { batchRoutes } from '#api/http/batch.ts';
import { clientAddress } from '#api/http/client-address.ts';
import { answerError } from '#api/http/error-mapping.ts';
import { generalLimit } from '#api/http/limits/limits.ts';
import { requestLog } from '#api/http/log.ts';
import { closeConnection, echoKey, noStore, securityHeaders } from '#api/http/response-headers.ts';
import { sameOrigin } from '#api/http/same-origin.ts';
import { serviceRoutes } from '#api/http/service-routes.ts';
import { expectedActor, requireAdmin, session } from '#api/http/session/session.ts';
import { createSessionReader } from '#api/http/session/sessions.ts';
import { type StaticFiles, staticFiles } from '#api/http/static-files.ts';
import { uploadRoutes } from '#api/images/routes.ts';
import { liveRoutes } from '#api/live/routes.ts';
import { createVoteReader } from '#api/polls/poll-rows.ts';
import { pollRoutes } from '#api/polls/routes.ts';
import { createVoteWriter } from '#api/polls/vote-writer.ts';
import { LIVE_PATH } from '#shared/live/constants.ts';
import type { AppDeps, Deps } from './deps.ts';
import { AppError } from './errors.ts';

export type App = Hono<AppEnv>;

/** The HTTP application. `files` is the built client, if any. */
export function createApp(given: Deps, files: StaticFiles | null = null): App {
  const { db } = given;
  const deps: AppDeps = {
    ...given,
    sessionReader: createSessionReader(db),
    voteReader: createVoteReader(db),
    voteWriter: createVoteWriter(db),
  };
  const api = new Hono<AppEnv>()
    .use(noStore, echoKey)
    .route('/', serviceRoutes(deps))
    .use(sameOrigin(deps.env.origins), session(deps), generalLimit(deps.limits), expectedActor)
    // For unknown addresses too.
    .use('/admin/*', requireAdmin)
    .route('/', authRoutes(deps))
    .route('/', pollRoutes(deps))
    .route(
      '/',
      batchRoutes((request, env) => app.fetch(request, env)),
    )
    .route('/', adminRoutes(deps))
    .route('/', docsRoutes(deps))
    .all('*', () => {
      throw new AppError('unknown_endpoint');
    });

  const app = new Hono<AppEnv>();
  app.onError(answerError);
  if (files !== null) app.use(staticFiles(files, deps.lifecycle));
  app.use(
    requestLog(deps.log),
    closeConnection(deps.lifecycle),
    securityHeaders(deps.env),
    clientAddress(deps.env.trustProxy),
  );
  app.route('/api', api);
  app.route('/uploads', uploadRoutes(deps));
  app.route(LIVE_PATH, liveRoutes(deps));
  app.notFound((c) => answerError(new AppError('not_found'), c));
  return app;
}
