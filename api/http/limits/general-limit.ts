import { createMiddleware } from 'hono/factory';
import type { AppEnv } from '#api/http/app-env.ts';
import type { Limits } from './limits.ts';

/** The limit of all calls together: of a user, or of an address without one. */
export function generalLimit(limits: Limits) {
  return createMiddleware<AppEnv>(async (c, next) => {
    if (c.var.user === null) await limits.callsOfVisitor.take(c.var.client);
    else await limits.callsOfUser.take(c.var.user.id);
    await next();
  });
}
