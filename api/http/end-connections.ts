import { createMiddleware } from 'hono/factory';
import type { AppEnv } from './app-env.ts';

/** Turned on when the process begins to shut down: readiness goes, work under way is finished. */
export type Lifecycle = { isStopping: boolean };

/**
 * Says `Connection: close` where no other request may follow: on a server that is about to stop, and when the answer comes
 * before the end of the request's body. What is left of that body is not read, so the connection is cut; a proxy that had
 * been told to keep it would send the next request of somebody else into it.
 */
export function endConnections(lifecycle: Lifecycle) {
  return createMiddleware<AppEnv>(async (c, next) => {
    await next();
    const isUnread = c.env?.incoming?.complete === false;
    if (lifecycle.isStopping || isUnread) c.res.headers.set('Connection', 'close');
  });
}
