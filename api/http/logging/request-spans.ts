import {
  context,
  createContextKey,
  propagation,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
} from '@opentelemetry/api';
import { createMiddleware } from 'hono/factory';
import { routePath } from 'hono/route';
import type { Env } from '#api/env.ts';
import type { AppContext, AppEnv } from '#api/http/app-env.ts';
import { tracer } from '#api/tracing/spans.ts';
import { KNOWN_METHODS } from './known-methods.ts';

/**
 * The context key of the current request. If a request begins in the context of another one, that one is the batch to which it
 * belongs or, if `isOver`, the previous request on the same connection.
 */
const REQUEST_KEY = createContextKey('request');

type TracedRequest = { isOver: boolean };

/**
 * Records a span for each request, and within that of a batch one for each call. A span has nothing about the client: no address,
 * no user, and of the URL only the pattern. The `traceparent` header is used only behind a trusted proxy.
 */
export function requestSpans({ trustProxy }: Pick<Env, 'trustProxy'>) {
  return createMiddleware<AppEnv>((c, next) => {
    const method = KNOWN_METHODS.has(c.req.method) ? c.req.method : '_OTHER';
    const outer = context.active().getValue(REQUEST_KEY) as TracedRequest | undefined;
    const isCallOfBatch = outer?.isOver === false;
    const request: TracedRequest = { isOver: false };
    const parent = isCallOfBatch ? context.active() : remoteParent(c, trustProxy);
    const kind = isCallOfBatch ? SpanKind.INTERNAL : SpanKind.SERVER;
    return tracer().startActiveSpan(method, { kind }, parent.setValue(REQUEST_KEY, request), async (span) => {
      try {
        await next();
      } finally {
        const route = c.var.call?.path ?? routePath(c, -1);
        span.updateName(`${method} ${route}`);
        span.setAttributes({
          'http.request.method': method,
          'http.route': route,
          'http.response.status_code': c.res.status,
          'this_or_that.request_id': c.var.requestId,
        });
        if (c.var.errorCode !== undefined) span.setAttribute('error.type', c.var.errorCode);
        if (c.res.status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
        span.end();
        request.isOver = true;
      }
    });
  });
}

function remoteParent(c: AppContext, trustProxy: number) {
  return trustProxy === 0 ? ROOT_CONTEXT : propagation.extract(ROOT_CONTEXT, c.req.header());
}
