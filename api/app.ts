import { Hono } from 'hono';
import { leavingRoutes } from '#api/accounts/leaving/routes.ts';
import { passkeyRoutes } from '#api/accounts/passkeys/routes.ts';
import { accountRoutes, unsubscribeRoutes } from '#api/accounts/routes.ts';
import { activityRoutes } from '#api/activity/routes.ts';
import { adminRoutes } from '#api/admin/routes.ts';
import { docsRoutes } from '#api/docs/routes.ts';
import { exploreRoutes } from '#api/explore/routes.ts';
import type { AppEnv } from '#api/http/app-env.ts';
import { batchRoutes } from '#api/http/batch.ts';
import { before } from '#api/http/before.ts';
import { clientAddress } from '#api/http/client-address.ts';
import { respondWithError } from '#api/http/error-mapping.ts';
import { generalLimit } from '#api/http/limits/limits.ts';
import { createReads, readOwnWritesFromPrimary } from '#api/http/replica-reads.ts';
import { echoKey, noStore } from '#api/http/response-headers.ts';
import { sameOrigin } from '#api/http/same-origin.ts';
import { serviceRoutes } from '#api/http/service-routes.ts';
import { expectedUserAndEpoch, requireAdmin, session } from '#api/http/session/session.ts';
import { createSessionReader } from '#api/http/session/sessions.ts';
import { imageRoutes } from '#api/images/routes.ts';
import { createImageSender } from '#api/images/send-image.ts';
import { liveRoutes } from '#api/live/routes.ts';
import { metricsRoutes } from '#api/metrics/routes.ts';
import { notificationRoutes } from '#api/notifications/routes.ts';
import { createVoteReader } from '#api/polls/poll-rows.ts';
import { pollRoutes } from '#api/polls/routes.ts';
import { shareRoutes } from '#api/polls/sharing/routes.ts';
import type { SharePages } from '#api/polls/sharing/share-page.ts';
import { reportRoutes } from '#api/reports/routes.ts';
import { unsubscribe } from '#shared/accounts/contract.ts';
import { LIVE_PATH } from '#shared/live/constants.ts';
import { SHARE_TARGET, SHARE_TARGET_SCREENS } from '#shared/service/constants.ts';
import type { Database } from './db/client.ts';
import type { AppDeps, Deps, ListSource } from './deps.ts';
import { AppError } from './errors.ts';
import { requestLog } from './http/logging/log.ts';
import { requestMetrics } from './http/logging/request-metrics.ts';
import { requestSpans } from './http/logging/request-spans.ts';
import { createVoteWriter } from './polls/voting/vote-writer.ts';

export type App = Hono<AppEnv>;

/** The HTTP application. `sharePages`: the prerendered pages of share links; null if the app is not built. */
export function createApp(baseDeps: Deps, sharePages: SharePages | null = null): App {
  const { db, replica } = baseDeps;
  const { metricsToken } = baseDeps.env;
  const deps: AppDeps = {
    ...baseDeps,
    sessionReader: createSessionReader(db, baseDeps.log),
    reads: createReads(
      listSource(baseDeps, 'primary', db),
      replica && { ...replica, source: listSource(baseDeps, 'replica', replica.db) },
    ),
    voteWriter: createVoteWriter(db, (userId) => baseDeps.live.publish({ type: 'notifications', userId })),
  };
  const checks = [
    sameOrigin(deps.env.origins),
    session(deps),
    generalLimit(deps.limits),
    expectedUserAndEpoch,
  ] as const;
  const api = new Hono<AppEnv>()
    .use(before(noStore, echoKey), ...(replica === null ? [] : [readOwnWritesFromPrimary(baseDeps.env)]))
    .route('/', serviceRoutes(deps))
    .use(before(...checks))
    // Also covers unknown paths under /admin, so that only administrators learn which ones exist.
    .use('/admin/*', requireAdmin(deps))
    .route('/', accountRoutes(deps))
    .route('/', passkeyRoutes(deps))
    .route('/', leavingRoutes(deps))
    .route('/', pollRoutes(deps))
    .route('/', reportRoutes(deps))
    .route('/', activityRoutes(deps))
    .route('/', notificationRoutes(deps))
    .route('/', exploreRoutes(deps))
    .route(
      '/',
      batchRoutes((request, env) => app.fetch(request, env)),
    )
    .route('/', adminRoutes(deps))
    .route('/', docsRoutes(deps))
    .all('*', () => {
      throw new AppError('unknown_endpoint');
    });

  const setClient = clientAddress(deps.env);
  const app = new Hono<AppEnv>();
  app.onError(respondWithError);
  app.use(
    ...(deps.env.tracing === null ? [] : [requestSpans(deps.env)]),
    requestLog(deps.log),
    ...(metricsToken === null ? [] : [requestMetrics()]),
    async (c, next) => {
      setClient(c);
      await next();
      if (c.error !== undefined) db.noticeError(c.error);
    },
  );
  app.route('/api', api);
  const sendImage = createImageSender();
  app.route('/uploads', imageRoutes({ ...deps, sendImage }));
  app.route('/s', shareRoutes(deps, { pages: sharePages, sendImage }));
  // Reached only while no service worker is active: the photos are lost, since only a service worker can store them. Needs no
  // origin check, as the body is not read and nothing is changed.
  app.post(SHARE_TARGET.path, before(noStore), (c) => c.redirect(SHARE_TARGET_SCREENS.notStored, 303));
  // Password managers open it. Some of them first check that an unknown path in this folder gets 404.
  app.get('/.well-known/change-password', (c) => c.redirect('/settings'));
  app.use(unsubscribe.path, before(noStore, ...checks));
  app.route(unsubscribe.path, unsubscribeRoutes(deps));
  app.route(LIVE_PATH, liveRoutes(deps));
  if (metricsToken !== null) app.route('/metrics', metricsRoutes(deps, metricsToken));
  app.notFound((c) => respondWithError(new AppError('not_found'), c));
  return app;
}

/**
 * A source of lists with separate cache keys, so that reads from one server are not mixed with cached reads from the other.
 */
function listSource({ listCache }: Deps, name: string, db: Database): ListSource {
  return {
    db,
    listCache: { read: (key, ...rest) => listCache.read(`${name}: ${key}`, ...rest) },
    voteReader: createVoteReader(db),
  };
}
