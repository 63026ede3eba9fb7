import { randomUUID } from 'node:crypto';
import { createMiddleware } from 'hono/factory';
import type { Logger } from 'pino';
import type { AppEnv } from './app-env.ts';

/**
 * Gives each request an id (`X-Request-Id`) and logs one line for it, without its query: tokens are there. Files that were
 * served are logged at `debug`, everything else at `info`.
 */
export function requestLog(log: Logger) {
  return createMiddleware<AppEnv>(async (c, next) => {
    const startedMs = performance.now();
    const requestId = randomUUID();
    c.set('requestId', requestId);
    c.set('log', log.child({ requestId }));
    c.header('X-Request-Id', requestId);
    await next();
    const isServedFile = !c.req.path.startsWith('/api/') && c.res.status < 400;
    log[isServedFile ? 'debug' : 'info'](
      {
        requestId,
        method: c.req.method,
        path: c.req.path,
        status: c.res.status,
        ms: Math.round(performance.now() - startedMs),
        userId: c.var.user?.id,
      },
      'request',
    );
  });
}
