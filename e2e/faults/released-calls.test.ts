import { expect, test } from 'vitest';
import { buildDocument, type OpenApiDocument } from '#api/docs/build-document.ts';
import { RELEASES, readServerRelease } from './releases.ts';

/** The calls of earlier releases still exist, accept the same input, and return every field with its type. */

type Schema = {
  $ref?: string;
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  pattern?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  required?: string[];
  properties?: Record<string, Schema>;
  items?: Schema;
  anyOf?: Schema[];
};
type Source = { document: OpenApiDocument; schema: Schema | undefined };

function resolve({ document, schema }: Source): Schema | undefined {
  const name = schema?.$ref?.split('/').at(-1);
  return name === undefined ? schema : document.components.schemas[name];
}

/** The types that a value may have, such as `string` and `null`. */
function typesOf(source: Source): string[] {
  const { type, anyOf = [] } = resolve(source) ?? {};
  return [...[type ?? []].flat(), ...anyOf.flatMap((schema) => typesOf({ ...source, schema }))];
}

const isAccepted = (type: string, accepted: string[]) =>
  accepted.includes(type) || (type === 'integer' && accepted.includes('number'));

/** The keywords of `expected` that exclude values which `actual` allows. */
function narrowerKeywords(expected: Schema, actual: Schema): string[] {
  const values = (schema: Schema) => schema.enum ?? (schema.const === undefined ? undefined : [schema.const]);
  const [expectedValues, actualValues] = [values(expected), values(actual)];
  const areIncluded = actualValues?.every((value) => expectedValues?.includes(value)) ?? false;
  return [
    ...(expectedValues === undefined || areIncluded ? [] : ['values']),
    ...(expected.pattern === undefined || expected.pattern === actual.pattern ? [] : ['pattern']),
    ...(['minLength', 'minimum'] as const).filter(
      (name) => (expected[name] ?? -Infinity) > (actual[name] ?? -Infinity),
    ),
    ...(['maxLength', 'maximum'] as const).filter(
      (name) => (expected[name] ?? Infinity) < (actual[name] ?? Infinity),
    ),
  ];
}

/** The paths at which values of the schema `actual` are not what a reader of the schema `expected` relies on. */
function conflicts(expected: Source, actual: Source, path: string, isInput: boolean): string[] {
  const [expectedSchema, actualSchema] = [resolve(expected), resolve(actual)];
  if (expectedSchema === undefined) return [];
  if (actualSchema === undefined) return [path];
  const within = (name: string, schema: Schema | undefined, counterpart: Schema | undefined) =>
    conflicts({ ...expected, schema }, { ...actual, schema: counterpart }, `${path}.${name}`, isInput);
  const accepted = typesOf(expected);
  const types = typesOf(actual).filter((type) => accepted.length > 0 && !isAccepted(type, accepted));
  // Responses may have new values, such as a new kind of job.
  const keywords = isInput ? narrowerKeywords(expectedSchema, actualSchema) : [];
  const { required = [], properties = {} } = expectedSchema;
  const missing = Object.keys(properties).filter((name) =>
    required.includes(name)
      ? actualSchema.required?.includes(name) !== true
      : !isInput && actualSchema.properties?.[name] === undefined,
  );
  const inner = Object.entries(properties).flatMap(([name, schema]) => {
    const counterpart = actualSchema.properties?.[name];
    return counterpart === undefined ? [] : within(name, schema, counterpart);
  });
  const items =
    expectedSchema.items === undefined ? [] : within('items', expectedSchema.items, actualSchema.items);
  const objects = (source: Source, parent: Schema) =>
    (parent.anyOf ?? []).filter((schema) => resolve({ ...source, schema })?.properties !== undefined);
  const actualObjects = objects(actual, actualSchema);
  const alternatives = objects(expected, expectedSchema).flatMap((schema, index) =>
    within(`${index}`, schema, actualObjects[index]),
  );
  return [
    ...types.map((type) => `${path}: ${type}`),
    ...keywords.map((name) => `${path}: ${name}`),
    ...missing.map((name) => `${path}.${name}`),
    ...inner,
    ...items,
    ...alternatives,
  ];
}

/** Describes what breaks apps of the release `earlier` on the server `later`. */
function findBreakingChanges(earlier: OpenApiDocument, later: OpenApiDocument): string[] {
  return Object.entries(earlier.paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, earlierCall]) => {
      const name = `${method} ${path}`;
      const laterCall = later.paths[path]?.[method];
      if (laterCall === undefined) return [name];
      const body = ({ requestBody }: typeof earlierCall) =>
        Object.values(requestBody?.content ?? {})[0]?.schema;
      const parameters = (call: typeof earlierCall): Schema => ({
        type: 'object',
        properties: Object.fromEntries(call.parameters.map(({ name, schema }) => [name, schema])),
        required: call.parameters.filter(({ required }) => required).map((parameter) => parameter.name),
      });
      const output = ({ responses }: typeof earlierCall, status: string) =>
        responses[status]?.content?.['application/json']?.schema;
      const successes = Object.keys(earlierCall.responses).filter((status) => Number(status) < 300);
      return [
        // This server accepts what the earlier release sends.
        ...[body, parameters].flatMap((input) =>
          conflicts(
            { document: later, schema: input(laterCall) },
            { document: earlier, schema: input(earlierCall) },
            `${name} input`,
            true,
          ),
        ),
        ...successes.flatMap((status) =>
          laterCall.responses[status] === undefined
            ? [`${name} ${status}`]
            : conflicts(
                { document: earlier, schema: output(earlierCall, status) },
                { document: later, schema: output(laterCall, status) },
                `${name} ${status}`,
                false,
              ),
        ),
      ];
    }),
  );
}

const pollOf = ({ components }: OpenApiDocument) => components.schemas.Poll as Schema;

const documents = RELEASES.flatMap((name) => readServerRelease(name) ?? []);

test('the OpenAPI document of at least one release is recorded', () => expect(documents).not.toEqual([]));

/** Release 1.0.0 requires the token, too, although its document calls it optional. */
const ALWAYS_REQUIRED = 'get /api/verify-email input.token';

test.each(documents.map((document) => [document.info.version, document] as const))(
  'the server supports each call of release %s: it accepts its input and returns its fields with their types',
  (_, document) => {
    const changes = findBreakingChanges(document, buildDocument('now', false));
    expect(changes.filter((change) => change !== ALWAYS_REQUIRED)).toEqual([]);
  },
);

test.each<[change: string, (document: OpenApiDocument) => unknown, found: string]>([
  ['a removed call', ({ paths }) => delete paths['/api/trending'], 'get /api/trending'],
  [
    'a removed success status without content',
    ({ paths }) => delete paths['/api/logout']?.post?.responses['204'],
    'post /api/logout 204',
  ],
  [
    'a response field that is no longer required',
    (document) => {
      const poll = pollOf(document);
      poll.required = poll.required?.filter((name) => name !== 'rev') ?? [];
    },
    'get /api/questions 200.data.items.rev',
  ],
  [
    'a removed optional response field',
    (document) => delete pollOf(document).properties?.votesLast24h,
    'get /api/questions 200.data.items.votesLast24h',
  ],
  [
    'a response field with another type',
    (document) => Object.assign(pollOf(document).properties?.user ?? {}, { anyOf: [{ type: 'string' }] }),
    'get /api/questions 200.data.items.user: string',
  ],
  [
    'a parameter that is required now',
    ({ paths }) => Object.assign(paths['/api/questions']?.get?.parameters[0] ?? {}, { required: true }),
    'get /api/questions input.limit',
  ],
  [
    'an input that accepts fewer values',
    ({ paths }) => {
      const body = paths['/api/questions/{id}/vote']?.post?.requestBody?.content['application/json'];
      Object.assign(body?.schema ?? {}, { properties: { option: { type: 'number', const: 1 } } });
    },
    'post /api/questions/{id}/vote input.option: values',
  ],
])('%s is detected', (_, change, found) => {
  const [released] = documents;
  if (released === undefined) throw new Error('There is no release.');
  const changed = structuredClone(buildDocument('now', false));
  change(changed);
  expect(findBreakingChanges(released, changed)).toContain(found);
});
