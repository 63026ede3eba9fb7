import type { OpenApiDocument } from '#api/docs/build-document.ts';
import type { BatchResponse } from '#shared/batch.ts';
import { sendBatch } from '#shared/service/contract.ts';
import { batchedRequests } from './batches.ts';
import type { Answer, Call } from './proxy.ts';

/** Says of a request that it goes to the older server. */
export const OLDER_SERVER_HEADER = 'X-Older-Server';

/** Where no server has anything: it is refused there after all checks that come before the look at the path. */
const UNKNOWN_PREFIX = '/api/unknown';

/** Today's server without the calls and fields that were added after a release, as its OpenAPI document says. */
export type OlderServer = {
  /** The release. */
  readonly name: string;
  /** Whether devices reach it. */
  isOn: boolean;
  /** Whether the release has this call. */
  knows(method: string, path: string): boolean;
  /** The path that a request of this path is sent to. */
  pathOf(method: string, path: string): string;
  /** An answer without the fields that were added later. */
  withoutNewFields(answer: Answer, call: Call): Answer;
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
      return items === undefined ? value : value.map((each) => knownPart(each, items));
    const alternatives = anyOf?.map(resolve).filter(({ type }) => type === 'object') ?? [];
    if (alternatives.length > 1) throw new Error('Which of several objects it is cannot be told.');
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
    withoutNewFields(answer, { method, path, headers, body }) {
      const type = answer.headers['content-type'] ?? '';
      const isJson = type.includes('application/json') && answer.body.length > 0;
      if (headers[OLDER_SERVER_HEADER.toLowerCase()] === undefined || !isJson) return answer;
      const whole: unknown = JSON.parse(answer.body.toString());
      const isBatch = path === sendBatch.path && answer.status === 200;
      const known = isBatch
        ? { answers: knownAnswers(whole as BatchResponse, body) }
        : knownBody(method, path, answer.status, whole);
      const text = Buffer.from(JSON.stringify(known));
      // Its texts differ, and so do its ETags.
      const { etag: _, 'content-length': __, 'transfer-encoding': ___, ...rest } = answer.headers;
      return { ...answer, headers: { ...rest, 'content-length': `${text.length}` }, body: text };
    },
  };

  function knownAnswers({ answers }: BatchResponse, body: string): BatchResponse['answers'] {
    const requests = batchedRequests(body);
    return answers.map((answer, nth) => {
      const { method = '', path = '' } = requests[nth] ?? {};
      return { ...answer, body: knownBody(method, path, answer.status, answer.body) };
    });
  }
}
