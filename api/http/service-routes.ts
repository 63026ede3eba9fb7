import type { Database } from '#api/db/client.ts';
import { withTimeout } from '#api/db/with-timeout.ts';
import type { Env } from '#api/env.ts';
import { AppError } from '#api/errors.ts';
import { APP_ID } from '#shared/http.ts';
import { readAnalyticsSettings, readHealth, readReadiness } from '#shared/service/contract.ts';
import type { Lifecycle } from './app-env.ts';
import { CallRouter } from './call-router.ts';
import type { Limits } from './limits/limits.ts';
import { createReadCache } from './read-cache.ts';

/** While the database responds, it is queried at most once in this time, however often readiness is checked. */
const READY_CACHED_MS = 1_000;
const READY_TIMEOUT_MS = 2_000;
const RETRY_AFTER_S = 2;

const unavailable = () => new AppError('unavailable', { retryAfterSeconds: RETRY_AFTER_S });

type ServiceDeps = {
  env: Pick<Env, 'analyticsUrl'>;
  db: Database;
  limits: Limits;
  version: string;
  lifecycle: Lifecycle;
};

/**
 * `/health` responds while the process runs, `/ready` while it can serve: the database responds and no shutdown has begun.
 * `/analytics` tells the app where to send page views, if anywhere.
 */
export function serviceRoutes({ env, db, limits, version, lifecycle }: ServiceDeps): CallRouter {
  const checks = createReadCache(READY_CACHED_MS);

  // Tagged SQL: the builder needs a table, and repeats a read whose connection is lost.
  const checkDatabase = () => withTimeout(READY_TIMEOUT_MS, db.sql`select 1`, unavailable);

  return new CallRouter()
    .answer(readAnalyticsSettings, () => ({ endpoint: env.analyticsUrl }))
    .answer(readHealth, () => ({ status: 'ok', app: APP_ID, version }) as const)
    .answerWithin(limits.readinessChecksOfClient, readReadiness, async ({ c }) => {
      if (lifecycle.isStopping) throw unavailable();
      await checks.read('database', checkDatabase);
      // The shutdown may have begun during the check.
      if (lifecycle.isStopping) throw unavailable();
      return c.json({ status: 'ready' });
    });
}
