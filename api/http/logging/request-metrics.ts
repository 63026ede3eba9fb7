import { createMiddleware } from 'hono/factory';
import { Counter, Histogram } from 'prom-client';
import type { AppEnv } from '#api/http/app-env.ts';
import { KNOWN_METHODS } from './known-methods.ts';

const requests = new Counter({
  name: 'http_requests_total',
  help: 'Responses, except files of the app. code: the error code of a refusal, empty otherwise',
  labelNames: ['method', 'route', 'status', 'code'],
});
const durations = new Histogram({
  name: 'http_request_duration_seconds',
  help: 'Time until the response begins',
  labelNames: ['method', 'route'],
  buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
});

/** Counts and times requests by the path of their call. Requests without a call, such as to unknown paths, share a route. */
export function requestMetrics() {
  return createMiddleware<AppEnv>(async (c, next) => {
    const startedMs = performance.now();
    await next();
    const method = KNOWN_METHODS.has(c.req.method) ? c.req.method : 'other';
    const route = c.var.call?.path ?? 'other';
    requests.inc({ method, route, status: c.res.status, code: c.var.errorCode ?? '' });
    durations.observe({ method, route }, (performance.now() - startedMs) / 1_000);
  });
}
