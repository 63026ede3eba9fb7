import { Hono } from 'hono';
import type { Env } from '#api/env.ts';
import { AppError } from '#api/errors.ts';
import type { AppEnv, Lifecycle } from '#api/http/app-env.ts';
import { before } from '#api/http/before.ts';
import { generalLimit, type Limits } from '#api/http/limits/limits.ts';
import { noStore } from '#api/http/response-headers.ts';
import { sameOrigin } from '#api/http/same-origin.ts';
import { hashToken } from '#api/http/session/secret-tokens.ts';
import { requireUser, session, sessionUserOf } from '#api/http/session/session.ts';
import type { SessionReader } from '#api/http/session/sessions.ts';
import { LIVE_USER_QUERY_PARAM } from '#shared/live/constants.ts';

const RETRY_AFTER_S = 2;

type LiveDeps = { sessionReader: SessionReader; env: Env; lifecycle: Lifecycle; limits: Limits };

/** Accepts upgrades to a WebSocket after the usual checks. If one of them fails, the client gets an ordinary HTTP response. */
export function liveRoutes(deps: LiveDeps): Hono<AppEnv> {
  const { env, lifecycle, limits } = deps;
  return new Hono<AppEnv>()
    .use(before(noStore, sameOrigin(env.origins, 'all'), session(deps), generalLimit(limits)))
    .get('/', (c) => {
      const { userId, sessionToken } = sessionUserOf(c, requireUser(c));
      const { client, requestId } = c.var;
      const expectedUserId = c.req.query(LIVE_USER_QUERY_PARAM);
      if (expectedUserId !== undefined && expectedUserId !== String(userId))
        throw new AppError('actor_mismatch');
      if (lifecycle.isStopping) throw new AppError('unavailable', { retryAfterSeconds: RETRY_AFTER_S });
      if (c.env?.accept === undefined) {
        throw new AppError('invalid_input', { message: 'This address is for WebSockets.' });
      }
      c.env.accept({ userId, sessionHash: hashToken(sessionToken), client, requestId });
      // Not sent: `acceptUpgrades` completes the handshake instead.
      return c.body(null);
    });
}
