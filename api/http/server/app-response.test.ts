import { randomUUID } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { expect, test } from 'vitest';
import { makePoll } from '#api/testing/poll-factory.ts';
import { serveLive } from '#api/testing/servers/live-server.ts';
import { createTestApp } from '#api/testing/test-app.ts';
import { sendBatch } from '#shared/service/contract.ts';
import { securityHeaders } from './security-headers.ts';

const app = await createTestApp();
const address = new URL(await serveLive(app));
const user = await app.signUp();

/** The response to a request with a body of `contentLength` bytes, of which only `sentBytes` are sent. */
async function responseTo(
  path: string,
  { type, contentLength, sentBytes }: { type: string; contentLength: number; sentBytes: number },
): Promise<string> {
  const socket: Socket = connect(Number(address.port), address.hostname);
  const head = [
    `POST ${path} HTTP/1.1`,
    `Host: ${address.host}`,
    `Cookie: sid=${user.cookies.get('sid')}`,
    'Sec-Fetch-Site: same-origin',
    `Content-Type: ${type}`,
    `Content-Length: ${contentLength}`,
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n${'x'.repeat(sentBytes)}`);
  for await (const chunk of socket) {
    socket.destroy();
    return String(chunk);
  }
  throw new Error('no response');
}

test('a response sent before the request body has ended closes the connection', async () => {
  const response = await responseTo('/api/questions', {
    type: 'multipart/form-data; boundary=x',
    contentLength: 30_000_000,
    sentBytes: 1_000,
  });
  expect(response).toMatch(/^HTTP\/1\.1 413 /);
  expect(response).toMatch(/^connection: close\r$/im);
});

test('a response sent after the whole request body keeps the connection open', async () => {
  const response = await responseTo('/api/questions', {
    type: 'application/json',
    contentLength: 2,
    sentBytes: 2,
  });
  expect(response).toMatch(/^HTTP\/1\.1 415 /);
  expect(response).not.toMatch(/^connection: close\r$/im);
});

test.each(['/api/health', '/api/user', '/api/nothing', '/nothing', '/api/docs'])(
  'the response to %s has the security headers',
  async (path) => {
    const { headers } = await fetch(new URL(path, address));
    expect(Object.fromEntries(headers)).toMatchObject(securityHeaders(app.deps.env));
  },
);

test('the response with an image has a stricter content security policy than other responses', async () => {
  const poll = await makePoll(user);
  const { headers } = await fetch(new URL(poll.option1Image, address));
  expect(Object.fromEntries(headers)).toMatchObject({
    ...securityHeaders(app.deps.env),
    'content-security-policy': "default-src 'none'; sandbox",
  });
});

/** Sends a request of `user`. */
function send(path: string, init: { method?: string; headers?: Record<string, string>; body?: string } = {}) {
  const headers = {
    ...init.headers,
    Cookie: `sid=${user.cookies.get('sid')}`,
    'Content-Type': 'application/json',
  };
  return fetch(new URL(path, address), { ...init, headers });
}

test.each([
  ['GET', '/api/user', 200, 'no-store'],
  ['GET', '/api/nothing', 404, 'no-store'],
  ['GET', '/api/questions', 200, 'private, no-cache'],
  ['HEAD', '/api/questions', 200, 'private, no-cache'],
  ['DELETE', '/api/push', 204, 'no-store'],
])(
  '%s %s gets %i with the id of the request and Cache-Control: %s',
  async (method, path, status, cacheControl) => {
    const response = await send(path, { method });
    expect(response.status).toBe(status);
    const { headers } = response;
    expect(headers.get('X-Request-Id')).toMatch(/^[0-9a-f-]{36}$/);
    expect(headers.get('Cache-Control')).toBe(cacheControl);
  },
);

test('the key of a call is echoed in its response, but not in that of a batch', async () => {
  const key = randomUUID();
  const path = `/api/questions/${randomUUID()}/vote`;
  const body = JSON.stringify({ option: 1 });
  const single = await send(path, { method: 'POST', headers: { 'Idempotency-Key': key }, body });
  expect([single.status, single.headers.get('Idempotency-Key')]).toEqual([404, key]);
  const requests = [{ method: 'POST', path, key, body }];
  const batch = await send(sendBatch.path, { method: 'POST', body: JSON.stringify({ requests }) });
  expect(batch.headers.get('Idempotency-Key')).toBeNull();
  expect(await batch.json()).toMatchObject({ answers: [{ status: 404, key }] });
});

test('responses during a shutdown close their connections', async () => {
  const connectionHeader = async () =>
    (await fetch(new URL('/api/health', address))).headers.get('Connection');
  expect(await connectionHeader()).toBe('keep-alive');
  app.deps.lifecycle.isStopping = true;
  try {
    expect(await connectionHeader()).toBe('close');
  } finally {
    app.deps.lifecycle.isStopping = false;
  }
});

test('a request without a host gets 400 from Node itself, which closes the connection', async () => {
  const socket = connect(Number(address.port), address.hostname);
  socket.write('GET / HTTP/1.1\r\n\r\n');
  let response = '';
  for await (const chunk of socket) response += chunk;
  expect(response).toMatch(/^HTTP\/1\.1 400 /);
  expect(response).toMatch(/^connection: close\r$/im);
  expect(response).toMatch(/^x-frame-options: DENY\r$/m);
});
