import { context, DiagLogLevel, diag, propagation, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { setGlobalErrorHandler, W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
  serviceInstanceIdDetector,
} from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type { Logger } from 'pino';
import { traceQueries } from './query-spans.ts';
import type { TracingSettings } from './tracing-variables.ts';

/** Further spans are dropped while the collector does not keep up. The queue takes some MB at most. */
const QUEUED_SPANS_MAX = 4_096;
/** Spans that are not exported within this time are lost when the process ends. */
const FLUSH_TIMEOUT_MS = 2_000;
const PROBLEM_LOG_INTERVAL_MS = 60_000;
const PROBLEM_MAX_LENGTH = 500;

export type RunningTracing = {
  /** Exports the remaining spans. Never rejects, and takes two seconds at most. */
  stop(): Promise<void>;
};

/**
 * Starts OpenTelemetry. The exporter reads `OTEL_EXPORTER_OTLP_…` by itself, the resource `OTEL_SERVICE_NAME` and
 * `OTEL_RESOURCE_ATTRIBUTES`. Import this module only when traces are configured: its packages take time and memory.
 */
export function startTracing(
  { sampler, ratio }: Pick<TracingSettings, 'sampler' | 'ratio'>,
  { log, version }: { log: Logger; version: string },
): RunningTracing {
  const logProblem = createProblemLog(log);
  diag.setLogger(
    { error: logProblem, warn: logProblem, info: () => {}, debug: () => {}, verbose: () => {} },
    { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
  );
  setGlobalErrorHandler((error) => logProblem(error instanceof Error ? error.message : String(error)));
  const provider = new TracerProvider({
    sampler: samplerOf(sampler, ratio),
    resource: defaultResource()
      .merge(resourceFromAttributes({ 'service.name': 'this-or-that', 'service.version': version }))
      .merge(detectResources({ detectors: [serviceInstanceIdDetector, envDetector] })),
    spanProcessors: [
      new BatchSpanProcessor({ exporter: new OTLPTraceExporter(), maxQueueSize: QUEUED_SPANS_MAX }),
    ],
  });
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  trace.setGlobalTracerProvider(provider);
  const untraceQueries = traceQueries();

  return {
    stop: async () => {
      const timeout = Promise.withResolvers<never>();
      const timer = setTimeout(
        () => timeout.reject(new Error('The export of the last spans took too long')),
        FLUSH_TIMEOUT_MS,
      );
      await Promise.race([provider.shutdown(), timeout.promise]).catch((error) => logProblem(String(error)));
      clearTimeout(timer);
      untraceQueries();
      for (const api of [trace, propagation, context, diag]) api.disable();
    },
  };
}

/** The samplers of the specification by their names. */
function samplerOf(name: TracingSettings['sampler'], ratio: number): Sampler {
  if (name.endsWith('always_off')) return withParent(name, new AlwaysOffSampler());
  if (name.endsWith('always_on')) return withParent(name, new AlwaysOnSampler());
  return withParent(name, new TraceIdRatioBasedSampler(ratio));
}

function withParent(name: TracingSettings['sampler'], root: Sampler): Sampler {
  return name.startsWith('parentbased_') ? new ParentBasedSampler({ root }) : root;
}

/** Logs one problem a minute at most, since every export fails while the collector is unreachable. */
function createProblemLog(log: Logger): (problem: string) => void {
  let loggedAtMs = Number.NEGATIVE_INFINITY;
  return (problem) => {
    if (performance.now() - loggedAtMs < PROBLEM_LOG_INTERVAL_MS) return;
    loggedAtMs = performance.now();
    log.warn({ problem: problem.slice(0, PROBLEM_MAX_LENGTH) }, 'Traces could not be exported');
  };
}
