import { createMiddleware } from 'hono/factory';
import type { AppEnv } from './app-env.ts';

/** Turned on when the process begins to shut down: readiness goes, work under way is finished. */
export type Lifecycle = { isStopping: boolean };

/** Tells clients of a server that is about to stop to send their next request over a new connection. */
export function endConnections(lifecycle: Lifecycle) {
  return createMiddleware<AppEnv>(async (c, next) => {
    await next();
    if (lifecycle.isStopping) c.res.headers.set('Connection', 'close');
  });
}
