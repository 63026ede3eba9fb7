import { expect, test } from 'vitest';
import { buildDocument, type OpenApiDocument } from '#api/docs/build-document.ts';
import { RELEASES, readServerRelease } from './releases.ts';

/** The calls of earlier releases still exist, require no new input, and return every field. */

type Schema = {
  $ref?: string;
  type?: string | string[];
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

/** The paths of the fields that are required in `earlier` but not in `later`. */
function missingFields(earlier: Source, later: Source, path: string): string[] {
  const [earlierSchema, laterSchema] = [resolve(earlier), resolve(later)];
  if (earlierSchema === undefined) return [];
  if (laterSchema === undefined) return [path];
  const within = (name: string, schema: Schema | undefined, counterpart: Schema | undefined) =>
    missingFields({ ...earlier, schema }, { ...later, schema: counterpart }, `${path}.${name}`);
  const missing = (earlierSchema.required ?? []).filter(
    (name) => laterSchema.required?.includes(name) !== true,
  );
  const inner = Object.entries(earlierSchema.properties ?? {}).flatMap(([name, schema]) => {
    const counterpart = laterSchema.properties?.[name];
    return counterpart === undefined ? [] : within(name, schema, counterpart);
  });
  const items =
    earlierSchema.items === undefined ? [] : within('items', earlierSchema.items, laterSchema.items);
  const objects = (source: Source, parent: Schema) =>
    (parent.anyOf ?? []).filter((schema) => resolve({ ...source, schema })?.properties !== undefined);
  const laterObjects = objects(later, laterSchema);
  const alternatives = objects(earlier, earlierSchema).flatMap((schema, index) =>
    within(`${index}`, schema, laterObjects[index]),
  );
  return [...missing.map((name) => `${path}.${name}`), ...inner, ...items, ...alternatives];
}

/** Describes what breaks apps of the release `earlier` on the server `later`. */
function findBreakingChanges(earlier: OpenApiDocument, later: OpenApiDocument): string[] {
  return Object.entries(earlier.paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, earlierCall]) => {
      const name = `${method} ${path}`;
      const laterCall = later.paths[path]?.[method];
      if (laterCall === undefined) return [name];
      const input = ({ requestBody }: typeof earlierCall) =>
        Object.values(requestBody?.content ?? {})[0]?.schema;
      const output = ({ responses }: typeof earlierCall, status: string) =>
        responses[status]?.content?.['application/json']?.schema;
      const requiredParameters = ({ parameters }: typeof earlierCall) =>
        parameters.filter((parameter) => parameter.required).map((parameter) => parameter.name);
      const successes = Object.keys(earlierCall.responses).filter((status) => Number(status) < 300);
      return [
        // With the roles reversed: every input required now must have been sent by the earlier release.
        ...missingFields(
          { document: later, schema: input(laterCall) },
          { document: earlier, schema: input(earlierCall) },
          `${name} requires`,
        ),
        ...requiredParameters(laterCall)
          .filter((parameter) => !requiredParameters(earlierCall).includes(parameter))
          .map((parameter) => `${name} requires ${parameter}`),
        ...successes.flatMap((status) =>
          missingFields(
            { document: earlier, schema: output(earlierCall, status) },
            { document: later, schema: output(laterCall, status) },
            `${name} ${status}`,
          ),
        ),
      ];
    }),
  );
}

const documents = RELEASES.flatMap((name) => readServerRelease(name) ?? []);

test('the OpenAPI document of at least one release is recorded', () => expect(documents).not.toEqual([]));

/** Release 1.0.0 requires the token, too, although its document calls it optional. */
const ALWAYS_REQUIRED = 'get /api/verify-email requires token';

test.each(documents.map((document) => [document.info.version, document] as const))(
  'the server supports each call of release %s, with no new required input and all response fields',
  (_, document) => {
    const changes = findBreakingChanges(document, buildDocument('now', false));
    expect(changes.filter((change) => change !== ALWAYS_REQUIRED)).toEqual([]);
  },
);

test('a removed call and a response field that is no longer required are detected', () => {
  const changed = structuredClone(buildDocument('now', false));
  const [released] = documents;
  if (released === undefined) throw new Error('There is no release.');
  delete changed.paths['/api/trending'];
  const poll = changed.components.schemas.Poll as Schema;
  poll.required = poll.required?.filter((name) => name !== 'rev') ?? [];
  const changes = findBreakingChanges(released, changed);
  expect(changes).toContain('get /api/trending');
  expect(
    changes.filter((text) => text.startsWith('get /api/questions ') && text.endsWith('.rev')),
  ).not.toEqual([]);
});
