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

/** Asked for anew each time: the SDK comes later than this module, or never. */
export const tracer = () => trace.getTracer('this-or-that');

/** The span that is under way in `where`, if it is recorded and has not ended. */
function recordedSpan(where: Context): Span | null {
  const span = trace.getSpan(where);
  return span?.isRecording() ? span : null;
}

/** The request or the piece of work that is under way, for a link to it. */
export function currentCause(): SpanContext | null {
  return recordedSpan(context.active())?.spanContext() ?? null;
}

/** Runs `work` apart from the request, if any, in which it happens to begin. */
export function outsideOfTraces<Result>(work: () => Result): Result {
  return context.with(ROOT_CONTEXT, work);
}

/** Starts a span within the one that is under way; null where none is: it would be a trace of its own. */
export function startInnerSpan(name: string, kind: SpanKind, attributes: Attributes): Span | null {
  if (currentCause() === null) return null;
  return tracer().startSpan(name, { kind, attributes });
}

/** Ends a span, marked as failed by an error of this class or code. */
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

/** A piece of work in a queue, in a trace of its own; `cause` is linked, if it is known. */
export function traceWork<Result>(
  { name, cause, attributes }: { name: string; cause: SpanContext | null; attributes: Attributes },
  work: () => Promise<Result>,
): Promise<Result> {
  const links = cause === null ? [] : [{ context: cause }];
  const options = { root: true, kind: SpanKind.CONSUMER, attributes, links };
  return tracer().startActiveSpan(name, options, (span) => endedBy(span, work()));
}

/**
 * Runs `work` for several requests, the contexts of which are given. It is part of the first one that is recorded; the others get
 * a span that is linked to that one.
 */
export async function traceTogether<Result>(
  requests: readonly Context[],
  work: () => Promise<Result>,
): Promise<Result> {
  const [first, ...others] = requests.filter((request) => recordedSpan(request) !== null);
  if (first === undefined) return outsideOfTraces(work);
  const cause = recordedSpan(first)?.spanContext();
  const links = cause === undefined ? [] : [{ context: cause }];
  const spans = others.map((other) => tracer().startSpan('together with another request', { links }, other));
  try {
    return await context.with(first, work);
  } finally {
    for (const span of spans) span.end();
  }
}

async function endedBy<Result>(span: Span, work: Promise<Result>): Promise<Result> {
  try {
    const result = await work;
    endSpan(span);
    return result;
  } catch (error) {
    endSpan(span, error);
    throw error;
  }
}
