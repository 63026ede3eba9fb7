import { Hono } from 'hono';
import { createMiddleware } from 'hono/factory';
import { secureHeaders } from 'hono/secure-headers';
import type { Env } from '#api/env.ts';
import { IDEMPOTENCY_KEY_HEADER } from '#shared/http.ts';
import type { AppEnv, Lifecycle } from './app-env.ts';
import { isBodyUnread } from './server/lingering-close.ts';

const HSTS_YEAR_S = 31_536_000;

/** Keeps answers out of every cache unless the handler sets another `Cache-Control`. */
export const noStore = createMiddleware<AppEnv>(async (c, next) => {
  c.header('Cache-Control', 'no-store');
  await next();
});

/** Echoes the idempotency key on every response, errors included: a device accepts no response without it. */
export const echoKey = createMiddleware<AppEnv>(async (c, next) => {
  const key = c.req.header(IDEMPOTENCY_KEY_HEADER);
  if (key !== undefined) c.header(IDEMPOTENCY_KEY_HEADER, key);
  await next();
});

/**
 * Sends `Connection: close` while the server is stopping, and with a response that precedes the end of the request's body.
 * The rest of that body is discarded and the connection closed (`lingering-close.ts`): a proxy that reused it would send the next
 * request into it.
 */
export function closeConnection(lifecycle: Lifecycle) {
  return createMiddleware<AppEnv>(async (c, next) => {
    await next();
    if (lifecycle.isStopping || isBodyUnread(c.env?.incoming)) c.res.headers.set('Connection', 'close');
  });
}

/** The security headers of every response. HSTS only on https. */
export function securityHeaders({
  origins,
  isHttps,
  analyticsUrl,
}: Pick<Env, 'origins' | 'isHttps' | 'analyticsUrl'>) {
  const self = ["'self'"];
  const none = ["'none'"];
  const sockets = origins.map((origin) => origin.replace(/^http/, 'ws'));
  const analytics = analyticsUrl === null ? [] : [new URL(analyticsUrl).origin];
  return secureHeaders({
    contentSecurityPolicy: {
      defaultSrc: none,
      scriptSrc: self,
      styleSrc: self,
      imgSrc: ["'self'", 'data:', 'blob:'],
      connectSrc: [...self, ...sockets, ...analytics],
      fontSrc: self,
      manifestSrc: self,
      workerSrc: self,
      baseUri: none,
      formAction: self,
      frameAncestors: none,
    },
    permissionsPolicy: { camera: false, microphone: false, geolocation: false, payment: false },
    strictTransportSecurity: isHttps ? `max-age=${HSTS_YEAR_S}` : false,
    crossOriginOpenerPolicy: 'same-origin',
    crossOriginResourcePolicy: 'same-origin',
    referrerPolicy: 'no-referrer',
    xContentTypeOptions: 'nosniff',
    xFrameOptions: 'DENY',
    xXssProtection: false,
    xDownloadOptions: false,
    xDnsPrefetchControl: false,
    xPermittedCrossDomainPolicies: false,
    originAgentCluster: false,
    // Images set a stricter policy.
    overwrite: false,
  });
}

/** The security headers of every response by their names, for responses that are made in advance. */
export async function securityHeaderValues(env: Env): Promise<Record<string, string>> {
  const app = new Hono().use(securityHeaders(env)).get('/', (c) => c.body(null));
  const { headers } = await app.request('/');
  return Object.fromEntries(headers);
}
