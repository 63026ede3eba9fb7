import { expect, test } from 'vitest';
import { createTestApp } from '#api/testing/test-app.ts';
import { ERROR_STATUS } from '#shared/errors.ts';
import { LIVE_PATH } from '#shared/live/constants.ts';
import { SHARE_TARGET } from '#shared/service/constants.ts';
import { GROUPS, type OpenApiDocument } from './build-document.ts';

const { app, visitor } = await createTestApp();
const document: OpenApiDocument = await (await visitor().get('/api/openapi.json')).json();

/** Every `$ref` in a value. */
function refsIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    key === '$ref' && typeof inner === 'string' ? [inner] : refsIn(inner),
  );
}

test('the document contains exactly the mounted calls', () => {
  const mounted = app.routes
    .filter(({ method, path }) => method !== 'ALL' && !path.endsWith('*'))
    // A socket is not a call: OpenAPI cannot describe its messages.
    .filter(({ path }) => path !== LIVE_PATH)
    // The service worker handles this path; the server only redirects to the app.
    .filter(({ path }) => path !== SHARE_TARGET.path)
    // A redirect for password managers.
    .filter(({ path }) => path !== '/.well-known/change-password')
    .map(({ method, path }) => `${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}`);
  const described = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
  expect(described.sort()).toEqual([...new Set(mounted)].sort());
});

test('every reference of the document resolves, and every call has success and error responses', () => {
  expect(document.openapi).toBe('3.1.0');
  const knownRefs = Object.keys(document.components.schemas).map((name) => `#/components/schemas/${name}`);
  expect(refsIn(document).filter((ref) => !knownRefs.includes(ref))).toEqual([]);
  for (const methods of Object.values(document.paths)) {
    for (const { responses } of Object.values(methods)) {
      expect(Object.keys(responses).some((status) => Number(status) < 400)).toBe(true);
      expect(Object.keys(responses)).toContain('500');
    }
  }
});

test('the document lists the fields, headers and error codes of a call', () => {
  const create = document.paths['/api/questions']?.post;
  const schema = create?.requestBody?.content['multipart/form-data']?.schema;
  expect(schema).toMatchObject({
    required: ['question', 'option1Image', 'option2Image'],
    properties: { question: { type: 'string', maxLength: 200 }, option1Image: { type: 'string' } },
  });
  expect(create?.parameters.map(({ name }) => name)).toEqual([
    'Idempotency-Key',
    'X-Expected-User',
    'X-Expected-Epoch',
  ]);
  const codes = Object.entries(create?.responses ?? {}).flatMap(([status, { description }]) =>
    Number(status) < 400 ? [] : description.split(', ').map((code) => [code, Number(status)]),
  );
  expect(codes).toContainEqual(['insufficient_points', 402]);
  expect(ERROR_STATUS).toMatchObject(Object.fromEntries(codes));
});

test('a query parameter is required only if the call refuses requests without it', () => {
  const required: string[] = [];
  for (const [path, methods] of Object.entries(document.paths)) {
    for (const { parameters } of Object.values(methods)) {
      for (const parameter of parameters) {
        if (parameter.in === 'query' && parameter.required) required.push(`${path} ${parameter.name}`);
      }
    }
  }
  expect(required.sort()).toEqual(['/api/verify-email token', '/unsubscribe token']);
});

test('calls for administrators list their errors, and long-running calls their asynchronous response', () => {
  const calls = Object.entries(document.paths).filter(([path]) => path.startsWith('/api/admin/'));
  expect(calls.length).toBeGreaterThan(12);
  for (const [path, methods] of calls) {
    for (const { responses } of Object.values(methods)) {
      expect(responses['401']?.description, path).toContain('unauthenticated');
      expect(responses['403']?.description, path).toContain('not_admin');
    }
  }
  const upload = document.paths['/api/admin/bulk-upload']?.post;
  expect(upload?.requestBody?.content['multipart/form-data']?.schema).toMatchObject({
    required: ['images'],
    properties: { images: { type: 'array' }, duration: { type: 'string' } },
  });
  for (const name of ['bulk-upload', 'generate-polls', 'repair-images']) {
    const { parameters, responses } = document.paths[`/api/admin/${name}`]?.post ?? {};
    expect(parameters, name).toMatchObject([{ name: 'Prefer', in: 'header', required: false }]);
    expect(responses?.['202'], name).toBeDefined();
  }
});

test('the document explains actor_mismatch once and lists it for exactly the calls that read the session', () => {
  expect(document.info.description.match(/X-Expected-User/g)).toHaveLength(1);
  expect(document.info.description.match(/X-Expected-Epoch/g)).toHaveLength(1);
  for (const { method, path, access } of Object.values(GROUPS).flatMap((calls) => Object.values(calls))) {
    const { responses } = document.paths[path]?.[method.toLowerCase()] ?? {};
    const isListed = responses?.['409']?.description.includes('actor_mismatch') ?? false;
    expect([method, path, isListed]).toEqual([method, path, access !== 'public']);
  }
});

test('the HTML page requires no script and no external resources', async () => {
  const response = await visitor().get('/api/docs');
  expect(response.headers.get('Content-Type')).toMatch(/^text\/html/);
  const page = await response.text();
  expect(page).toContain('/api/questions/{id}/vote');
  // The response has a schema without a name.
  const activity = /<code>\/api\/activity<\/code>.*?<\/details>/s.exec(page)?.[0];
  expect(activity).toMatch(/Response body of 200: application\/json<\/h3><pre>.*&quot;items&quot;/s);
  expect(page).not.toMatch(/<script|<style|style=|https?:/);
  const style = await visitor().get('/api/docs/style.css');
  expect(style.headers.get('Content-Type')).toMatch(/^text\/css/);
});
