import type { OpenApiDocument } from '#api/docs/build-document.ts';
import type { BatchResponse } from '#shared/batch.ts';
import { sendBatch } from '#shared/service/contract.ts';
import { batchedRequests } from './batches.ts';
import type { Call, ProxyResponse } from './proxy.ts';

/** Marks a request to the older server. */
export const OLDER_SERVER_HEADER = 'X-Older-Server';

/** Makes a path unknown to the server, which then refuses it only after the checks that precede the lookup of the path. */
const UNKNOWN_PREFIX = '/api/unknown';

/** Today's server without the calls and fields that the OpenAPI document of an earlier release does not have. */
export type OlderServer = {
  /** The version of the release. */
  readonly name: string;
  /** Whether it receives requests. */
  isOn: boolean;
  /** Whether the release has this call. */
  knows(method: string, path: string): boolean;
  /** The path to send a request to: an unknown path if the release does not have the call. */
  pathOf(method: string, path: string): string;
  /** Removes the fields that were added after the release. */
  withoutNewFields(response: ProxyResponse, call: Call): ProxyResponse;
};

type Schema = {
  $ref?: string;
  type?: string | string[];
  properties?: Record<string, Schema>;
  items?: Schema;
  anyOf?: Schema[];
};

export function createOlderServer(document: OpenApiDocument): OlderServer {
  const calls = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      method: method.toUpperCase(),
      pattern: new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
      operation,
    })),
  );
  const find = (method: string, pathAndQuery: string) => {
    const [path = ''] = pathAndQuery.split('?');
    return calls.find((call) => call.method === method && call.pattern.test(path))?.operation;
  };

  function knownBody(method: string, path: string, status: number, body: unknown): unknown {
    const schema = find(method, path)?.responses[status]?.content?.['application/json']?.schema;
    return schema === undefined ? body : knownPart(body, schema);
  }

  function knownPart(value: unknown, schema: Schema): unknown {
    if (typeof value !== 'object' || value === null) return value;
    const { properties, items, anyOf } = resolve(schema);
    if (Array.isArray(value))
      return items === undefined ? value : value.map((item) => knownPart(item, items));
    const alternatives = anyOf?.map(resolve).filter(({ type }) => type === 'object') ?? [];
    if (alternatives.length > 1) throw new Error('The schema has several objects as alternatives.');
    const [alternative] = alternatives;
    if (alternative !== undefined) return knownPart(value, alternative);
    if (properties === undefined) return value;
    return Object.fromEntries(
      Object.entries(value).flatMap(([name, field]) => {
        const known = properties[name];
        return known === undefined ? [] : [[name, knownPart(field, known)]];
      }),
    );
  }

  function resolve(schema: Schema): Schema {
    const name = schema.$ref?.split('/').at(-1);
    return (name === undefined ? undefined : document.components.schemas[name]) ?? schema;
  }

  const knows = (method: string, path: string) => find(method, path) !== undefined;

  return {
    name: document.info.version,
    isOn: false,
    knows,
    pathOf: (method, path) => (knows(method, path) ? path : UNKNOWN_PREFIX + path),
    withoutNewFields(response, { method, path, headers, body }) {
      const type = response.headers['content-type'] ?? '';
      const isJson = type.includes('application/json') && response.body.length > 0;
      if (headers[OLDER_SERVER_HEADER.toLowerCase()] === undefined || !isJson) return response;
      const original: unknown = JSON.parse(response.body.toString());
      const isBatch = path === sendBatch.path && response.status === 200;
      const known = isBatch
        ? { answers: knownParts(original as BatchResponse, body) }
        : knownBody(method, path, response.status, original);
      const knownBytes = Buffer.from(JSON.stringify(known));
      // The ETag of the whole body does not fit the changed one.
      const { etag: _, 'content-length': __, 'transfer-encoding': ___, ...rest } = response.headers;
      return {
        ...response,
        headers: { ...rest, 'content-length': `${knownBytes.length}` },
        body: knownBytes,
      };
    },
  };

  /** The parts of the response to a batch, without new fields. */
  function knownParts({ answers }: BatchResponse, body: string): BatchResponse['answers'] {
    const requests = batchedRequests(body);
    return answers.map((part, index) => {
      const { method = '', path = '' } = requests[index] ?? {};
      return { ...part, body: knownBody(method, path, part.status, part.body) };
    });
  }
}
