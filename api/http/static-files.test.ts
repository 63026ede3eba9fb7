import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { pino } from 'pino';
import { afterAll, expect, test } from 'vitest';
import { createHttpServer } from './server/http-server.ts';
import { loadStaticFiles, staticFiles } from './static-files.ts';

const SCRIPT = 'export const answer = 42;';
const folder = await mkdtemp(join(tmpdir(), 'static-'));
afterAll(() => rm(folder, { recursive: true }));
await mkdir(join(folder, 'assets'));
await writeFile(join(folder, 'index.html'), '<!doctype html>');
for (const page of ['auth', 'auth-signup', 'home'])
  await writeFile(join(folder, `${page}.html`), `<!doctype html>${page}`);
await writeFile(join(folder, 'sw.js'), 'self');
await writeFile(join(folder, 'manifest.webmanifest'), '{}');
await writeFile(join(folder, 'assets', 'main-abc.js'), SCRIPT);
await writeFile(join(folder, 'assets', 'main-abc.js.br'), brotliCompressSync(SCRIPT));
await writeFile(join(folder, 'assets', 'main-abc.js.gz'), gzipSync(SCRIPT));

const files = await loadStaticFiles(folder);
if (files === null) throw new Error('The folder has an index.html');
const respond = staticFiles(files);

/** The response to a request; 404 stands for Hono, which handles the requests that are not for files. */
function send(path: string, init: RequestInit): Response {
  return respond(new Request(`http://localhost${path}`, init)) ?? new Response(null, { status: 404 });
}

const get = (path: string, headers: Record<string, string> = {}) => send(path, { headers });

test('a folder without index.html has no files to serve', async () => {
  expect(await loadStaticFiles(join(folder, 'nowhere'))).toBeNull();
});

test.each([
  ['br, gzip', 'br'],
  ['gzip, deflate', 'gzip'],
  ['gzip;q=1, br;q=0', 'gzip'],
  ['identity', null],
])('a browser that accepts "%s" gets the encoding %s', (accepted, encoding) => {
  const response = get('/assets/main-abc.js', { 'Accept-Encoding': accepted });
  expect(response.headers.get('Content-Encoding')).toBe(encoding);
  expect(response.headers.get('Content-Type')).toMatch('text/javascript');
  expect(response.headers.get('Vary')).toBe('Accept-Encoding');
});

test('files with a hash in their name are immutable, and other files are revalidated', () => {
  const cacheOf = (path: string) => get(path).headers.get('Cache-Control');
  expect(cacheOf('/assets/main-abc.js')).toBe('public, max-age=31536000, immutable');
  for (const path of ['/', '/index.html', '/sw.js', '/manifest.webmanifest', '/home']) {
    expect(cacheOf(path)).toBe('no-cache');
  }
});

test('a client that has cached the file gets 304', async () => {
  const etag = get('/sw.js').headers.get('ETag') ?? '';
  const response = get('/sw.js', { 'If-None-Match': etag });
  expect(response.status).toBe(304);
  expect(await response.text()).toBe('');
  expect(get('/sw.js', { 'If-None-Match': '"old"' }).status).toBe(200);
});

test.each([
  ['/', ''],
  ['/poll/0190', ''],
  ['/home', 'home'],
  ['/auth?next=%2Fhome', 'auth'],
  ['/auth?ref=X', 'auth-signup'],
])('%s serves the page of the app "%s"', async (path, page) => {
  const response = get(path);
  expect(response.status).toBe(200);
  expect(await response.text()).toBe(`<!doctype html>${page}`);
});

test.each([
  '/assets/missing-def.js',
  '/api/nothing',
  '/uploads/nothing',
  '/metrics',
  '/.well-known/change-password',
  '/.well-known/nothing',
  '/../package.json.bak',
])('%s gets 404 instead of a page of the app', (path) => {
  expect(get(path).status).toBe(404);
});

test('only GET and HEAD serve files', async () => {
  expect(send('/sw.js', { method: 'POST' }).status).toBe(404);
  const head = send('/sw.js', { method: 'HEAD' });
  expect(head.status).toBe(200);
  expect(head.headers.get('ETag')).toBe(get('/sw.js').headers.get('ETag'));
  expect(await head.text()).toBe('');
});

/** The beginning of the response to each of `requests`, which are sent over one connection to a server of these files. */
async function responsesTo(...requests: string[]): Promise<string[]> {
  const { server, ...http } = createHttpServer(respond, {
    log: pino({ level: 'silent' }),
    connectionsMax: 10,
    headers: {},
    lifecycle: { isStopping: false },
    shouldUpgradeCallback: () => false,
  });
  await http.listen({ host: '127.0.0.1', port: 0 });
  const { port } = server.address() as AddressInfo;
  const socket = connect(port, '127.0.0.1');
  const responses: string[] = [];
  for (const request of requests) {
    socket.write(request);
    responses.push(String((await once(socket, 'data'))[0]));
  }
  socket.destroy();
  await http.finish();
  return responses;
}

test('one connection serves several files', async () => {
  const request = 'GET /sw.js HTTP/1.1\r\nHost: localhost\r\n\r\n';
  const responses = await responsesTo(request, request);
  for (const response of responses) {
    expect(response).toMatch(/^HTTP\/1\.1 200 /);
    expect(response).not.toMatch(/^connection: close/im);
  }
});

test('a response sent before the request body has ended closes the connection', async () => {
  const [response] = await responsesTo(
    'GET /sw.js HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\nx',
  );
  expect(response).toMatch(/^connection: close/im);
});
