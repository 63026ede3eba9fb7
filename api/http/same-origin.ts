import { createMiddleware } from 'hono/factory';
import { AppError } from '#api/errors.ts';
import type { AppEnv } from './app-env.ts';

const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Whether a request was made by a page of ours, as far as its headers tell. A client that is no browser sends
 * neither header.
 */
function isSameOrigin(headers: Headers, origins: readonly string[]): boolean {
  const fetchSite = headers.get('Sec-Fetch-Site');
  if (fetchSite !== null && fetchSite !== 'same-origin') return false;
  const origin = headers.get('Origin');
  return origin === null || origins.includes(origin);
}

/** Refuses any request that another site makes a browser send: an upgrade is a GET, with this user's cookie. */
export function sameOriginAlways(origins: readonly string[]) {
  return createMiddleware<AppEnv>(async (c, next) => {
    if (!isSameOrigin(c.req.raw.headers, origins)) throw new AppError('bad_origin');
    await next();
  });
}

/** Refuses what another site makes a browser send. */
export function sameOrigin(origins: readonly string[]) {
  return createMiddleware<AppEnv>(async (c, next) => {
    if (!SAFE_METHODS.has(c.req.method) && !isSameOrigin(c.req.raw.headers, origins)) {
      throw new AppError('bad_origin');
    }
    await next();
  });
}
