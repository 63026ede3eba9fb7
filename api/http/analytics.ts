import { Hono } from 'hono';
import type { Env } from '#api/env.ts';
import type { Analytics } from '#shared/analytics.ts';
import type { AppEnv } from './app-env.ts';

/** Tells the app whether page views and events are counted, and where. */
export function analyticsRoutes({ env }: { env: Pick<Env, 'analyticsUrl'> }): Hono<AppEnv> {
  const answer: Analytics = { endpoint: env.analyticsUrl };
  return new Hono<AppEnv>().get('/analytics', (c) => c.json(answer));
}
