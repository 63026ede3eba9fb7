import {
  type Attributes,
  type Context,
  context,
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';

// Without OpenTelemetry's SDK, which `start-tracing.ts` loads, its API does nothing.

/** Looked up each time, since the SDK is loaded after this module, or never. */
export const tracer = () => trace.getTracer('this-or-that');

/** The active span of a context, if it is recorded and has not ended; else null. */
function recordedSpan(within: Context): Span | null {
  const span = trace.getSpan(within);
  return span?.isRecording() ? span : null;
}

/** The active span, of a request or a piece of work, for a link to it; null if there is none. */
export function currentSpanContext(): SpanContext | null {
  return recordedSpan(context.active())?.spanContext() ?? null;
}

/** Runs `work` outside of the trace of the request, if any, in which it happens to begin. */
export function withoutTrace<Result>(work: () => Result): Result {
  return context.with(ROOT_CONTEXT, work);
}

/** Starts a span within the active one. Null if there is none, since the span would start a separate trace. */
export function startInnerSpan(name: string, kind: SpanKind, attributes: Attributes): Span | null {
  if (currentSpanContext() === null) return null;
  return tracer().startSpan(name, { kind, attributes });
}

/** Ends a span. With `error`, the span is marked as failed by an error of that class or code. */
export function endSpan(span: Span, error?: unknown): void {
  if (error !== undefined) {
    // Messages may quote what users have typed.
    span.setAttribute('error.type', errorType(error));
    span.setStatus({ code: SpanStatusCode.ERROR });
  }
  span.end();
}

function errorType(error: unknown): string {
  if (!(error instanceof Error)) return 'other';
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
}

/** Runs a piece of work of a queue in a separate trace, which is linked to `cause`, if known. */
export function traceWork<Result>(
  { name, cause, attributes }: { name: string; cause: SpanContext | null; attributes: Attributes },
  work: () => Promise<Result>,
): Promise<Result> {
  const links = cause === null ? [] : [{ context: cause }];
  const options = { root: true, kind: SpanKind.CONSUMER, attributes, links };
  return tracer().startActiveSpan(name, options, async (span) => {
    try {
      const result = await work();
      endSpan(span);
      return result;
    } catch (error) {
      endSpan(span, error);
      throw error;
    }
  });
}

/**
 * Runs `work` for several requests, given by their contexts. Its spans belong to the first request that is recorded; each other
 * request gets a span that is linked to that one.
 */
export async function traceTogether<Result>(
  requests: readonly Context[],
  work: () => Promise<Result>,
): Promise<Result> {
  const recorded = requests.flatMap((request) => {
    const span = recordedSpan(request);
    return span === null ? [] : [{ request, span }];
  });
  const [first, ...others] = recorded;
  if (first === undefined) return withoutTrace(work);
  const links = [{ context: first.span.spanContext() }];
  const spans = others.map(({ request }) =>
    tracer().startSpan('together with another request', { links }, request),
  );
  try {
    return await context.with(first.request, work);
  } finally {
    for (const span of spans) span.end();
  }
}
