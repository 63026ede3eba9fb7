import { expect, test } from 'vitest';
import { buildDocument, type OpenApiDocument } from '#api/docs/build-document.ts';
import { RELEASES, readServerRelease } from './releases.ts';

/** What apps of earlier releases call is still there, asks for nothing more, and answers nothing less. */

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

/** The fields that `earlier` always has, and that `later` has not always, with their paths. */
function missingFields(earlier: Source, later: Source, path: string): string[] {
  const [one, other] = [resolve(earlier), resolve(later)];
  if (one === undefined) return [];
  if (other === undefined) return [path];
  const within = (name: string, schema: Schema | undefined, laterSchema: Schema | undefined) =>
    missingFields({ ...earlier, schema }, { ...later, schema: laterSchema }, `${path}.${name}`);
  const found = (one.required ?? []).filter((name) => other.required?.includes(name) !== true);
  const inner = Object.entries(one.properties ?? {}).flatMap(([name, schema]) => {
    const laterSchema = other.properties?.[name];
    return laterSchema === undefined ? [] : within(name, schema, laterSchema);
  });
  const items = one.items === undefined ? [] : within('items', one.items, other.items);
  const objects = (source: Source, of: Schema) =>
    (of.anyOf ?? []).filter((schema) => resolve({ ...source, schema })?.properties !== undefined);
  const laterObjects = objects(later, other);
  const kinds = objects(earlier, one).flatMap((schema, nth) => within(`${nth}`, schema, laterObjects[nth]));
  return [...found.map((name) => `${path}.${name}`), ...inner, ...items, ...kinds];
}

/** What an app of `earlier` misses in `later`, in words. */
function missing(earlier: OpenApiDocument, later: OpenApiDocument): string[] {
  return Object.entries(earlier.paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, call]) => {
      const name = `${method} ${path}`;
      const now = later.paths[path]?.[method];
      if (now === undefined) return [name];
      const input = ({ requestBody }: typeof call) => Object.values(requestBody?.content ?? {})[0]?.schema;
      const output = ({ responses }: typeof call, status: string) =>
        responses[status]?.content?.['application/json']?.schema;
      const required = ({ parameters }: typeof call) =>
        parameters.filter((each) => each.required).map((each) => each.name);
      const successes = Object.keys(call.responses).filter((status) => status < '300');
      return [
        // The other way round: what has to be sent now was sent by then.
        ...missingFields(
          { document: later, schema: input(now) },
          { document: earlier, schema: input(call) },
          `${name} must get`,
        ),
        ...required(now)
          .filter((each) => !required(call).includes(each))
          .map((each) => `${name} must get ${each}`),
        ...successes.flatMap((status) =>
          missingFields(
            { document: earlier, schema: output(call, status) },
            { document: later, schema: output(now, status) },
            `${name} ${status}`,
          ),
        ),
      ];
    }),
  );
}

const documents = RELEASES.flatMap((name) => readServerRelease(name) ?? []);

test('there are calls to compare with', () => expect(documents).not.toEqual([]));

test.each(documents.map((document) => [document.info.version, document] as const))(
  'the server has every call of release %s as its apps know it',
  (_, document) => {
    expect(missing(document, buildDocument('now'))).toEqual([]);
  },
);

test('a call and a field of an answer that are gone are noticed', () => {
  const now = structuredClone(buildDocument('now'));
  const [released] = documents;
  if (released === undefined) throw new Error('There is no release.');
  delete now.paths['/api/trending'];
  const poll = now.components.schemas.Poll as Schema;
  poll.required = poll.required?.filter((name) => name !== 'rev') ?? [];
  const found = missing(released, now);
  expect(found).toContain('get /api/trending');
  expect(found.filter((text) => text.startsWith('get /api/questions ') && text.endsWith('.rev'))).not.toEqual(
    [],
  );
});
