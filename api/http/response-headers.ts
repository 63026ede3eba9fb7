import { createMiddleware } from 'hono/factory';
import type { Env } from '#api/env.ts';
import { IDEMPOTENCY_KEY_HEADER } from '#shared/http.ts';
import type { AppEnv, Lifecycle } from './app-env.ts';
import { isBodyUnread } from './server/lingering-close.ts';

const HSTS_YEAR_S = 31_536_000;

/** Keeps responses out of every cache unless the handler sets another `Cache-Control`. */
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
 * Sends `Connection: close` while the server is stopping, and with a response that precedes the end of the request's body. The
 * rest of that body is discarded and the connection closed (`lingering-close.ts`), so that no proxy sends its next request over
 * it.
 */
export function closeConnection(lifecycle: Lifecycle) {
  return createMiddleware<AppEnv>(async (c, next) => {
    await next();
    if (lifecycle.isStopping || isBodyUnread(c.env?.incoming)) c.res.headers.set('Connection', 'close');
  });
}

/** The security headers of every response by their names. HSTS only on https. */
export function securityHeaderValues({
  origins,
  isHttps,
  analyticsUrl,
}: Pick<Env, 'origins' | 'isHttps' | 'analyticsUrl'>): Readonly<Record<string, string>> {
  const sockets = origins.map((origin) => origin.replace(/^http/, 'ws'));
  const analytics = analyticsUrl === null ? [] : [new URL(analyticsUrl).origin];
  return {
    'Content-Security-Policy': [
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "img-src 'self' data: blob:",
      `connect-src ${["'self'", ...sockets, ...analytics].join(' ')}`,
      "font-src 'self'",
      "manifest-src 'self'",
      "worker-src 'self'",
      "base-uri 'none'",
      "form-action 'self'",
      "frame-ancestors 'none'",
    ].join('; '),
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Cross-Origin-Resource-Policy': 'same-origin',
    'Permissions-Policy': 'camera=(), microphone=(), geolocation=(), payment=()',
    'Referrer-Policy': 'no-referrer',
    'X-Content-Type-Options': 'nosniff',
    'X-Frame-Options': 'DENY',
    ...(isHttps && { 'Strict-Transport-Security': `max-age=${HSTS_YEAR_S}` }),
  };
}

/**
 * Sets the security headers before the handler runs, which may replace them: images have a stricter policy. Hono's own middleware
 * sets them on the response afterwards, which takes a quarter of the time of a small request.
 */
export function securityHeaders(env: Pick<Env, 'origins' | 'isHttps' | 'analyticsUrl'>) {
  const headers = Object.entries(securityHeaderValues(env));
  return createMiddleware<AppEnv>(async (c, next) => {
    for (const [name, value] of headers) c.header(name, value);
    await next();
  });
}
