import fc from 'fast-check';
import { fromJSONSchema } from 'zod/v4';
import type { OpenApiDocument } from '#api/docs/build-document.ts';
import type { Json, OperationDocument } from '#api/docs/describe-operation.ts';

/** The role of the client that sends a request. */
export type Role = 'visitor' | 'user' | 'admin';

export type RandomRequest = {
  /** The call, as `METHOD /path/{with}/parameters`. */
  call: string;
  role: Role;
  method: string;
  path: string;
  headers: Record<string, string>;
  body: string | FormData | null;
};

/** Existing ids and valid images, so that some requests succeed. */
export type Known = { ids: readonly string[]; images: readonly Uint8Array<ArrayBuffer>[] };

/**
 * Expensive calls, which are made rarely and with small inputs. For an unknown username `/api/login` compares the password
 * with a dummy hash, which on a real server has the full cost despite `cheap-passwords.ts`.
 */
const EXPENSIVE_CALLS = /(?:generate-polls|repair-images|bulk-upload|login)$/;
const EXPENSIVE_WEIGHT = 1;
const WEIGHT = 20;
const COUNT_MAX = 3;
const HUGE_BODY_BYTES = 150_000;

const oddText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.constantFrom(
    '',
    '\0',
    '%00',
    '\ud800',
    '../..',
    "' or 1=1 --",
    '-1',
    '1e9',
    '99999999999999999999',
    'true',
    '%',
    '_',
  ),
  fc.string({ minLength: 300, maxLength: 3_000 }),
);
const oddValue: fc.Arbitrary<unknown> = fc.oneof(
  oddText,
  fc.jsonValue(),
  fc.constantFrom(null, -1, 0, 1e9, 1e308, 2 ** 53, 0.5, [], {}, { __proto__: 1 }),
);

/** Values of a JSON schema of the document. Patterns, and formats except uuid and email, are met only by chance. */
function valuesOfSchema(schema: Json): fc.Arbitrary<unknown> {
  if ('const' in schema) return fc.constant(schema.const);
  if (Array.isArray(schema.enum)) return fc.constantFrom(...schema.enum);
  const choices = (schema.anyOf ?? schema.oneOf) as Json[] | undefined;
  if (choices !== undefined) return fc.oneof(...choices.map(valuesOfSchema));
  switch (schema.type) {
    case 'object': {
      const properties = Object.entries((schema.properties ?? {}) as Record<string, Json>);
      const fields = properties.map(([name, property]): Field => {
        return [name, name === 'count' ? fc.integer({ min: 1, max: COUNT_MAX }) : valuesOfSchema(property)];
      });
      return recordOf(fields, (schema.required ?? []) as string[]);
    }
    case 'array':
      return fc.array(valuesOfSchema((schema.items ?? {}) as Json), { maxLength: 4 });
    case 'integer':
      return fc.integer({
        min: Number(schema.minimum ?? 0),
        max: Math.min(Number(schema.maximum ?? 1e6), 1e6),
      });
    case 'number':
      return fc.double({ noNaN: true });
    case 'boolean':
      return fc.boolean();
    case 'string':
      return valuesOfStringSchema(schema);
    default:
      return oddValue;
  }
}

type Field<Value = unknown> = readonly [string, fc.Arbitrary<Value>];

/** A record in which any fields except `requiredKeys` may be absent. */
function recordOf<Value>(
  fields: readonly Field<Value>[],
  requiredKeys: string[],
): fc.Arbitrary<Record<string, Value>> {
  const model: Record<string, fc.Arbitrary<Value>> = Object.fromEntries(fields);
  return fc.record(model, { requiredKeys }) as fc.Arbitrary<Record<string, Value>>;
}

function valuesOfStringSchema({ format, minLength, maxLength }: Json): fc.Arbitrary<string> {
  if (format === 'uuid') return fc.uuid();
  if (format === 'email') return fc.emailAddress();
  const min = Number(minLength ?? 0);
  const letters = fc.constantFrom(...'abcdefghij0123456789._-');
  return fc.string({
    unit: letters,
    minLength: min,
    maxLength: Math.max(min, Math.min(Number(maxLength ?? 20), 40)),
  });
}

/** Mostly valid values; sometimes with an odd field, sometimes odd as a whole. */
const mostly = (valid: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
  fc.oneof(
    { weight: 6, arbitrary: valid },
    { weight: 2, arbitrary: fc.tuple(valid, fc.string(), oddValue).map(withField) },
    { weight: 1, arbitrary: oddValue },
  );

/** Sets a field to `odd`: the existing one that the length of the random `name` selects, or a new one with this name. */
function withField([value, name, odd]: [unknown, string, unknown]): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return odd;
  const names = Object.keys(value);
  return { ...value, [names[name.length % (names.length + 1)] ?? name]: odd };
}

/** Whether a URL keeps a path segment unchanged: not empty, not only dots, no lone surrogate. */
const isSegment = (text: string) => text.isWellFormed() && !/^\.*$/.test(text);

function pathOf(template: string, { ids }: Known): fc.Arbitrary<string> {
  const value = fc.oneof(
    { weight: 5, arbitrary: fc.constantFrom(...ids) },
    { weight: 1, arbitrary: fc.uuid() },
    { weight: 2, arbitrary: oddText.filter(isSegment) },
  );
  const names = template.match(/\{\w+\}/g) ?? [];
  return fc.array(value, { minLength: names.length, maxLength: names.length }).map((values) => {
    const remaining = [...values];
    return template.replaceAll(/\{\w+\}/g, () => encodeURIComponent(remaining.shift() ?? ''));
  });
}

function parametersOf(parameters: OperationDocument['parameters'], location: string) {
  const named = parameters.filter((parameter) => parameter.in === location);
  const fields = named.map(({ name, schema }): Field<string> => {
    return [name, fc.oneof(valuesOfSchema(schema).map(String), oddText)];
  });
  return recordOf(fields, []);
}

function headersOf(parameters: OperationDocument['parameters']): fc.Arbitrary<Record<string, string>> {
  return parametersOf(parameters, 'header').map((headers) => {
    // `Headers` refuses most other characters, and Node's HTTP server refuses long headers before the app sees them.
    const sendable = Object.entries(headers).filter(([, value]) => /^[\x20-\x7e]{1,200}$/.test(value));
    return Object.fromEntries(sendable);
  });
}

function jsonBody(schema: Json): fc.Arbitrary<Pick<RandomRequest, 'headers' | 'body'>> {
  const type = fc.oneof(
    { weight: 12, arbitrary: fc.constant('application/json') },
    {
      weight: 1,
      arbitrary: fc.constantFrom('text/plain', 'application/json; charset=utf-8', 'multipart/form-data'),
    },
  );
  const body = fc.oneof(
    { weight: 15, arbitrary: mostly(valuesOfSchema(schema)).map((value) => JSON.stringify(value) ?? '') },
    { weight: 1, arbitrary: fc.constantFrom('{', '', 'nul', '"\\ud800"', '['.repeat(50_000)) },
    { weight: 1, arbitrary: fc.constant(JSON.stringify('x'.repeat(HUGE_BODY_BYTES))) },
  );
  return fc
    .record({ type, body })
    .map((content) => ({ headers: { 'Content-Type': content.type }, body: content.body }));
}

function formBody(schema: Json, { images }: Known): fc.Arbitrary<Pick<RandomRequest, 'headers' | 'body'>> {
  const file = fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(...images) },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 200 }) },
  );
  const properties = Object.entries((schema.properties ?? {}) as Record<string, Json>);
  const fields = properties.map(([name, property]): Field => {
    if (property.type === 'array') return [name, fc.array(file, { maxLength: 4 })];
    if ('contentMediaType' in property) return [name, fc.array(file, { minLength: 1, maxLength: 1 })];
    const number = fc.integer({ min: 1, max: 30 }).map(String);
    return [
      name,
      fc.oneof(
        { weight: 5, arbitrary: valuesOfSchema(property) },
        { weight: 3, arbitrary: number },
        { weight: 1, arbitrary: oddText },
      ),
    ];
  });
  const form = recordOf(fields, (schema.required ?? []) as string[]);
  return form.map((values) => {
    const body = new FormData();
    for (const [name, value] of Object.entries(values)) {
      if (!Array.isArray(value)) body.append(name, String(value));
      else for (const bytes of value) body.append(name, new Blob([bytes]), 'a.jpg');
    }
    return { headers: {}, body };
  });
}

function requestOf(template: string, method: string, operation: OperationDocument, known: Known) {
  const json = operation.requestBody?.content['application/json']?.schema;
  const form = operation.requestBody?.content['multipart/form-data']?.schema;
  let content: fc.Arbitrary<Pick<RandomRequest, 'headers' | 'body'>> = fc.constant({
    headers: {},
    body: null,
  });
  if (json) content = jsonBody(json);
  else if (form) content = formBody(form, known);
  const isForAdmins = template.startsWith('/api/admin/');
  const role = fc.oneof(
    { weight: isForAdmins ? 1 : 8, arbitrary: fc.constant<Role>('user') },
    { weight: isForAdmins ? 8 : 1, arbitrary: fc.constant<Role>('admin') },
    { weight: 1, arbitrary: fc.constant<Role>('visitor') },
  );
  return fc
    .record({
      role,
      path: pathOf(template, known),
      query: parametersOf(operation.parameters, 'query'),
      headers: headersOf(operation.parameters),
      content,
    })
    .map(({ role, path, query, headers, content }): RandomRequest => {
      const search = new URLSearchParams(query).toString();
      return {
        call: `${method.toUpperCase()} ${template}`,
        role,
        method: method.toUpperCase(),
        path: search === '' ? path : `${path}?${search}`,
        headers: { ...headers, ...content.headers },
        body: content.body,
      };
    });
}

/** Valid and invalid requests to every call of the document. */
export function randomRequests({ paths }: OpenApiDocument, known: Known): fc.Arbitrary<RandomRequest> {
  const calls = Object.entries(paths).flatMap(([template, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      weight: EXPENSIVE_CALLS.test(template) ? EXPENSIVE_WEIGHT : WEIGHT,
      arbitrary: requestOf(template, method, operation, known),
    })),
  );
  return fc.oneof(...calls);
}

type ReceivedResponse = { status: number; type: string | null; text: string };

/** Creates a check of responses against the document. It returns the problem of a response to a call, or null. */
export function createResponseCheck(
  document: OpenApiDocument,
): (call: string, response: ReceivedResponse) => string | null {
  const $defs = withLocalReferences(document.components.schemas);
  const parsers = new Map<string, ReturnType<typeof fromJSONSchema>>();

  return (call, { status, type, text }) => {
    const [method = '', path = ''] = call.split(' ');
    const described = document.paths[path]?.[method.toLowerCase()]?.responses[String(status)];
    if (status === 500) return `500: ${text}`;
    if (described === undefined) return `the status ${status} is not documented: ${text.slice(0, 300)}`;
    if (described.content === undefined) return text === '' ? null : `${status} has a body`;
    const [media = '', { schema } = { schema: {} }] = Object.entries(described.content)[0] ?? [];
    if (type === null || !type.startsWith(media)) return `${status} is of the type ${type}, not ${media}`;
    if (media !== 'application/json') return null;
    const name = `${call} ${status}`;
    const parser =
      parsers.get(name) ?? fromJSONSchema({ ...(withLocalReferences(schema) as object), $defs } as never);
    parsers.set(name, parser);
    const value: unknown = JSON.parse(text);
    const parsed = parser.safeParse(value);
    if (!parsed.success) return `${status} does not fit its schema: ${parsed.error.message}`;
    const { code } = value as { code?: string };
    const isDocumented = status < 400 || described.description.split(', ').includes(code ?? '');
    return isDocumented ? null : `the code ${code} is not documented for ${status}`;
  };
}

/** Rewrites references to the schemas of the document into local ones, to `$defs`. */
function withLocalReferences(schema: unknown): unknown {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/components/schemas/', '"#/$defs/'));
}
