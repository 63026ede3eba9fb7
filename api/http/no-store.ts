import { createMiddleware } from 'hono/factory';
import type { AppEnv } from './app-env.ts';

/** Keeps answers out of every cache, save those whose handler says otherwise. */
export const noStore = createMiddleware<AppEnv>(async (c, next) => {
  c.header('Cache-Control', 'no-store');
  await next();
});
