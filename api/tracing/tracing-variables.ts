import * as z from 'zod/mini';

const SAMPLERS = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;

const endpointSchema = z
  .string()
  .check(z.refine(isHttpUrl, 'must be the address of a collector such as http://localhost:4318'));
const headersSchema = z
  .string()
  .check(z.regex(/^[^=,\s]+=[^,]*(,\s*[^=,\s]+=[^,]*)*$/, 'must look like name=value,name=value'));
const ratioSchema = z.pipe(
  z.string().check(z.regex(/^(?:0(?:\.\d+)?|1(?:\.0+)?)$/, 'must be a number from 0 to 1')),
  z.transform(Number),
);

/** The variables of OpenTelemetry that are checked at the start; its packages read further variables themselves. */
export const tracingVariables = {
  OTEL_EXPORTER_OTLP_ENDPOINT: z.optional(endpointSchema),
  OTEL_EXPORTER_OTLP_HEADERS: z.optional(headersSchema),
  OTEL_SERVICE_NAME: z.optional(z.string()),
  OTEL_TRACES_SAMPLER: z._default(
    z.enum(SAMPLERS, `must be one of ${SAMPLERS.join(', ')}`),
    'parentbased_always_on',
  ),
  OTEL_TRACES_SAMPLER_ARG: z._default(ratioSchema, 1),
};

export type TracingSettings = {
  /** The address of the collector, which the exporter itself reads. */
  endpoint: string;
  sampler: (typeof SAMPLERS)[number];
  /** The fraction of traces to record, from 0 to 1; only some samplers use it. */
  ratio: number;
};

type Values = z.output<z.ZodMiniObject<typeof tracingVariables>>;

/** How requests are traced; null if they are not. */
export function readTracing(values: Values): { tracing: TracingSettings | null } {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_TRACES_SAMPLER: sampler } = values;
  if (endpoint === undefined) return { tracing: null };
  return { tracing: { endpoint, sampler, ratio: values.OTEL_TRACES_SAMPLER_ARG } };
}

function isHttpUrl(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}
