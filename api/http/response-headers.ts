import { createMiddleware } from 'hono/factory';
import { IDEMPOTENCY_KEY_HEADER } from '#shared/http.ts';
import type { AppEnv } from './app-env.ts';

/** Keeps responses out of every cache unless the handler sets another `Cache-Control`. */
export const noStore = createMiddleware<AppEnv>((c, next) => {
  c.header('Cache-Control', 'no-store');
  return next();
});

/** Echoes the idempotency key on every response, errors included: a device accepts no response without it. */
export const echoKey = createMiddleware<AppEnv>((c, next) => {
  const key = c.req.header(IDEMPOTENCY_KEY_HEADER);
  if (key !== undefined) c.header(IDEMPOTENCY_KEY_HEADER, key);
  return next();
});
