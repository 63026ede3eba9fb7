import type { Env } from '#api/env.ts';
import { readAnalytics } from '#shared/service/contract.ts';
import { CallRouter } from './call-router.ts';

/** Tells the app whether page views and events are counted, and where. */
export function analyticsRoutes({ env }: { env: Pick<Env, 'analyticsUrl'> }): CallRouter {
  return new CallRouter().answer(readAnalytics, () => ({ endpoint: env.analyticsUrl }));
}
