import { createMiddleware } from 'hono/factory';
import type { Deps } from '#api/deps.ts';
import type { AppEnv } from './app-env.ts';

/** Tells clients of a server that is about to stop to send their next request over a new connection. */
export function endConnections(lifecycle: Deps['lifecycle']) {
  return createMiddleware<AppEnv>(async (c, next) => {
    await next();
    if (lifecycle.isStopping) c.res.headers.set('Connection', 'close');
  });
}
