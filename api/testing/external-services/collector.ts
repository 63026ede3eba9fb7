import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { closeServer, listenLocally } from '#api/testing/servers/local-server.ts';

type Attribute = { key: string; value: Record<string, unknown> };
type OtlpSpan = {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes: Attribute[];
  links?: { traceId: string; spanId: string }[];
  status: { code?: number };
};
type OtlpBody = {
  resourceSpans: { resource: { attributes: Attribute[] }; scopeSpans: { spans: OtlpSpan[] }[] }[];
};

/** A span as the collector received it, with its attributes by name. */
export type CollectedSpan = Omit<OtlpSpan, 'attributes'> & { attributes: Record<string, unknown> };

export type Collector = {
  /** The value for `OTEL_EXPORTER_OTLP_ENDPOINT`. */
  address: string;
  spans: CollectedSpan[];
  /** The resource attributes of the last request. */
  resource(): Record<string, unknown>;
  /** The bodies of all requests, concatenated. */
  text(): string;
  close(): Promise<void>;
};

/** Starts a fake trace collector (OTLP over HTTP, in JSON). */
export async function startCollector(): Promise<Collector> {
  const spans: CollectedSpan[] = [];
  let resource: Record<string, unknown> = {};
  let bodies = '';
  const server = createServer(async (request, response) => {
    const json = await text(request);
    bodies += json;
    const body: OtlpBody = request.url === '/v1/traces' ? JSON.parse(json) : { resourceSpans: [] };
    for (const { resource: sent, scopeSpans } of body.resourceSpans) {
      resource = byName(sent.attributes);
      for (const scope of scopeSpans) {
        spans.push(...scope.spans.map((span) => ({ ...span, attributes: byName(span.attributes) })));
      }
    }
    response.setHeader('Content-Type', 'application/json').end('{}');
  });
  const port = await listenLocally(server);
  return {
    address: `http://127.0.0.1:${port}`,
    spans,
    resource: () => resource,
    text: () => bodies,
    close: () => closeServer(server),
  };
}

function byName(attributes: readonly Attribute[]): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
}
