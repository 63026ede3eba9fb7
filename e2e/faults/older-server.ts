import type { OpenApiDocument } from '#api/docs/build-document.ts';
import type { Json } from '#api/docs/describe-operation.ts';
import type { BatchResponse } from '#shared/batch.ts';
import { ERROR_MESSAGES, ERROR_STATUS } from '#shared/errors.ts';
import { IDEMPOTENCY_KEY_HEADER } from '#shared/http.ts';
import { sendBatch } from '#shared/service/contract.ts';
import { batchedRequests } from './batches.ts';
import type { Happenings } from './happenings.ts';
import type { Answer, Call } from './proxy.ts';

/** A server that is behind the devices, as its OpenAPI document describes it. */
export type OlderServer = {
  /** Whether the devices reach it, and not the one of this commit. */
  isOn: boolean;
  /** What it says to a call that was added later; null for one that it has. */
  refuse(call: Call): Answer | null;
  /** An answer without the fields that were added later. */
  reduce(answer: Answer, call: Call): Answer;
};

type Schema = {
  $ref?: string;
  type?: string | string[];
  properties?: Record<string, Schema>;
  items?: Schema;
  anyOf?: Schema[];
};

export function createOlderServer(document: OpenApiDocument, happenings: Happenings): OlderServer {
  const calls = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      method: method.toUpperCase(),
      pattern: new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
      operation,
    })),
  );
  const find = (method: string, url: string) => {
    const [path = ''] = url.split('?');
    return calls.find((call) => call.method === method && call.pattern.test(path))?.operation;
  };

  function reduceBody(method: string, url: string, status: number, body: unknown): unknown {
    const schema = find(method, url)?.responses[status]?.content?.['application/json']?.schema;
    return schema === undefined ? body : pick(body, schema);
  }

  /** Only what the schema has of a value. */
  function pick(value: unknown, schema: Schema): unknown {
    if (typeof value !== 'object' || value === null) return value;
    const { properties, items, anyOf } = resolve(schema);
    if (Array.isArray(value)) return items === undefined ? value : value.map((each) => pick(each, items));
    const other = anyOf?.map(resolve).find(({ type }) => type === 'object');
    if (other !== undefined) return pick(value, other);
    if (properties === undefined) return value;
    return Object.fromEntries(
      Object.entries(value).flatMap(([name, field]) => {
        const known = properties[name];
        return known === undefined ? [] : [[name, pick(field, known)]];
      }),
    );
  }

  function resolve(schema: Schema): Schema {
    const name = schema.$ref?.split('/').at(-1);
    const named: Json | undefined = name === undefined ? undefined : document.components.schemas[name];
    return named ?? schema;
  }

  return {
    isOn: false,
    refuse({ method, path, headers }) {
      if (!this.isOn || find(method, path) !== undefined) return null;
      happenings.note('a server did not know a call yet');
      const key = headers[IDEMPOTENCY_KEY_HEADER.toLowerCase()];
      const code = 'unknown_endpoint';
      return {
        status: ERROR_STATUS[code],
        headers: {
          'content-type': 'application/json',
          ...(key === undefined ? {} : { [IDEMPOTENCY_KEY_HEADER.toLowerCase()]: String(key) }),
        },
        body: Buffer.from(JSON.stringify({ code, message: ERROR_MESSAGES[code], requestId: '' })),
      };
    },
    reduce(answer, { method, path, body }) {
      const type = answer.headers['content-type'] ?? '';
      if (!this.isOn || !type.includes('application/json') || answer.body.length === 0) return answer;
      let said: unknown = JSON.parse(answer.body.toString());
      if (path === sendBatch.path && answer.status === 200) {
        const { answers } = said as BatchResponse;
        const requests = batchedRequests(body);
        const parts = answers.map((part, nth) => {
          const request = requests[nth];
          if (request === undefined) return part;
          return { ...part, body: reduceBody(request.method, request.path, part.status, part.body) };
        });
        said = { answers: parts };
      } else said = reduceBody(method, path, answer.status, said);
      happenings.note('an answer came from an older server');
      const reduced = Buffer.from(JSON.stringify(said));
      // An older server has other ETags, as its texts differ.
      const { etag: _, 'content-length': __, 'transfer-encoding': ___, ...headers } = answer.headers;
      return { ...answer, headers: { ...headers, 'content-length': `${reduced.length}` }, body: reduced };
    },
  };
}
