import { createMiddleware } from 'hono/factory';
import { IDEMPOTENCY_KEY_HEADER } from '#shared/http.ts';
import type { AppEnv } from './app-env.ts';

/** Echoes the key on every answer, refusals included: that is how a device knows that the answer is ours. */
export const echoKey = createMiddleware<AppEnv>(async (c, next) => {
  const key = c.req.header(IDEMPOTENCY_KEY_HEADER);
  if (key !== undefined) c.header(IDEMPOTENCY_KEY_HEADER, key);
  await next();
});
